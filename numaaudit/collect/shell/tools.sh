# Other programs: side by side, without input, in a clean environment, until they end or the time is up.

# tool COLLECTOR MEMBER ARGV FILTER PROGRAM ARGUMENT...: start one in the background. ARGV is how the manifest writes the command.
tool() {
    tool_number=$((tool_number + 1))
    printf '%s\037%s\037%s\n' "$1" "$2" "$3" >"$work/$tool_number.tool"
    text_filter=$4
    shift 4
    if [ -n "$root" ]; then
        end_tool "$tool_number" not-run '' 'the root is not that of this host'
    elif is_late; then
        why_late
        end_tool "$tool_number" not-run '' "$reason"
    elif ! has "$1"; then
        end_tool "$tool_number" absent '' "$1 is not in PATH"
    else
        run_tool "$work/$tool_number" "$@" </dev/null >/dev/null 2>&1 &
        running="$running $tool_number:$!"
    fi
}

# tool_of_each OPERANDS COLLECTOR MEMBER ARGV FILTER PROGRAM ARGUMENT...: the same, once for each line that OPERANDS prints.
tool_of_each() {
    "$1" >"$work/operands"
    owner=$2
    member_start=${3%.out}
    argv_start=${4%]}
    its_filter=$5
    shift 5
    while IFS= read -r operand <&4; do
        json "$operand"
        name=$(printf '%s' "$operand" | tr -c '0-9A-Za-z.=,-' '_')
        tool "$owner" "${member_start}_$name.out" "$argv_start,$quoted]" "$its_filter" "$@" "$operand"
    done 4<"$work/operands"
}

# miss_tool MEMBER ARGV REASON
miss_tool() {
    printf '%s\037%s\037%s\037%s\037%s\n' "$2" "$1" not-run '' "this script $3; run: numaaudit collect" >>"$work/commands"
}

# Standard output and standard error go through a filter each; nothing else reaches the disk.
run_tool() {
    prefix=$1
    shift
    {
        {
            cd /
            if has env; then
                env -i LC_ALL=C PATH="$PATH" "$@" 3>&-
            else
                "$@" 3>&-
            fi
            say $? >"$prefix.code"
        } 2>&1 >&3 | filter_text >"$prefix.err" 3>&-
    } 3>&1 | $text_filter >"$prefix.out"
    : >"$prefix.done"
}

# wait_for_tools SECONDS
wait_for_tools() {
    since=$tick
    for one in $running; do
        wait_for_tool "${one%%:*}" "${one#*:}" "$1"
    done
    running=''
}

wait_for_tool() {
    while [ ! -e "$work/$1.done" ]; do
        wait "$2" 2>/dev/null
        code=$?
        if [ -e "$work/$1.done" ]; then
            break
        elif is_late || [ $((tick - since)) -ge "$3" ]; then
            kill_tree "$2"
            outcome=timed-out
            reason='still running at its deadline'
            if [ -n "$stopped" ]; then
                outcome=not-run
                reason=interrupted
            fi
            end_tool "$1" "$outcome" '' "$reason"
            return
        elif [ "$code" -le 128 ]; then # else it was the ticker that ended the waiting
            end_tool "$1" gone '' 'its shell died'
            return
        fi
    done
    code=''
    read -r code <"$work/$1.code"
    outcome=ok
    reason=''
    if [ "${code:-0}" != 0 ] && [ ! -s "$work/$1.out" ] && grep -Eq 'Operation not permitted|Permission denied' "$work/$1.err"; then
        outcome=refused
        reason='not permitted to this user; run this script as root'
    fi
    end_tool "$1" "$outcome" "$code" "$reason"
}

# end_tool NUMBER OUTCOME CODE REASON: keep what it printed, and a line for the manifest.
end_tool() {
    IFS=$separator read -r collector member argv <"$work/$1.tool"
    printf '%s\037%s\037%s\037%s\037%s\n' "$argv" "$member" "$2" "$3" "$4" >>"$work/commands"
    if [ "$2" = ok ]; then
        keep_folder "$bundle/commands"
        cp "$work/$1.out" "$bundle/$member"
        record ok "$collector" "$member"
    fi
    if [ -s "$work/$1.err" ]; then
        keep_folder "$bundle/commands"
        cp "$work/$1.err" "$bundle/${member%.out}.err"
        record ok "$collector" "${member%.out}.err"
    fi
}
