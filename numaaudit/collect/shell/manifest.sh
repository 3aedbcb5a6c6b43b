# manifest.json: what was asked, what was got, what was not and why (bundle format 1).

# json TEXT: sets quoted. What is not ASCII becomes a question mark.
json() {
    quoted=$1
    case $quoted in
        *[!\ -~]* | *[\"\\]*) ;;
        *)
            quoted=\"$quoted\"
            return
            ;;
    esac
    left=$quoted
    quoted=''
    while [ -n "$left" ]; do
        char=${left%"${left#?}"}
        left=${left#?}
        case $char in
            [\"\\]) quoted=$quoted\\$char ;;
            [\ -~]) quoted=$quoted$char ;;
            "$newline") quoted=$quoted\\n ;;
            *) quoted="$quoted?" ;;
        esac
    done
    quoted=\"$quoted\"
}

# text_of FILE: sets text to its lines, without blanks around them; empty if it cannot be read.
text_of() {
    text=''
    [ -r "$root/$1" ] || return 0
    while read -r line || [ -n "$line" ]; do
        text=${text:+$text$newline}$line
    done <"$root/$1"
} 2>/dev/null

field() {
    json "$2"
    printf '"%s":%s,' "$1" "$quoted"
}

write_manifest() {
    list_members
    digest_members
    {
        printf '{"format":"numaaudit.bundle/1",'
        field tool_version "$version"
        field rule_set "$version"
        text_of proc/sys/kernel/hostname
        field hostname "$text"
        field host_id "$host_id"
        text_of proc/sys/kernel/random/boot_id
        field boot_id "$text"
        field collected_at "$collected_at"
        printf '"readings":[%s],' "${readings#,}"
        clock_ticks=$(getconf CLK_TCK 2>/dev/null) && is_number "$clock_ticks" || clock_ticks=100
        page_size
        printf '"clock_ticks_per_s":%s,"page_size_bytes":%s,' "$clock_ticks" "$page_bytes"
        printf '"arguments":[%s],"selection":[' "${arguments#,}"
        write_selection
        printf '],"collector":{'
        write_collector
        printf '},"entries":['
        write_entries
        printf '],"commands":['
        write_commands
        printf '],"redactions":{'
        write_redactions
        printf '},"interrupted":%s}\n' "$interrupted"
    } >"$bundle/manifest.json"
}

page_size() {
    page_bytes=$(getconf PAGESIZE 2>/dev/null) && is_number "$page_bytes" && return
    page_bytes=4096
    while read -r name kib _; do
        if [ "$name" = KernelPageSize: ] && is_number "$kib"; then
            page_bytes=$((kib * 1024))
            return
        fi
    done </proc/self/smaps
} 2>/dev/null

# The same for each bundle of one installation, without being the id itself, which machine-id(5) asks to keep secret.
find_host_id() {
    host_id=''
    text_of etc/machine-id
    [ -n "$text" ] || text_of var/lib/dbus/machine-id
    [ -n "$text" ] && has sha256sum || return 0
    host_id=$(printf 'numaaudit.host-id:%s' "$text" | sha256sum)
    host_id=${host_id%"${host_id#????????????????????????????????}"}
}

write_selection() {
    comma=''
    while read -r pid why; do
        json "$why"
        printf '%s{"pid":%s,"why":%s}' "$comma" "$pid" "$quoted"
        comma=,
    done <"$work/selected"
}

# Who collects: rights, masks, cgroup and namespaces; null where /proc does not tell.
write_collector() {
    uid=null
    capabilities=null
    allowed_cpus=null
    allowed_mems=null
    seccomp=null
    text_of proc/self/status
    printf '%s\n' "$text" >"$work/self"
    while read -r name value other _; do
        json "$value"
        case $name in
            Uid:) uid=${other:-null} ;;
            CapEff:) capabilities=$quoted ;;
            Cpus_allowed_list:) allowed_cpus=$quoted ;;
            Mems_allowed_list:) allowed_mems=$quoted ;;
            Seccomp:) ! is_number "$value" || seccomp=$value ;;
        esac
    done <"$work/self"
    printf '"uid":%s,"capabilities":%s,"allowed_cpus":%s,' "$uid" "$capabilities" "$allowed_cpus"
    text_of proc/self/cgroup
    json "$text"
    [ -n "$text" ] || quoted=null
    printf '"allowed_mems":%s,"seccomp":%s,"cgroup":%s,"namespaces":{' "$allowed_mems" "$seccomp" "$quoted"
    comma=''
    for name in cgroup ipc mnt net pid time user uts; do
        if target=$(readlink "$root/proc/self/ns/$name"); then
            json "$target"
        else
            quoted=null
        fi
        printf '%s"%s":%s' "$comma" "$name" "$quoted"
        comma=,
    done
    printf '},"script":"sh"'
}

# The members that are there, in the order of the entries.
list_members() {
    : >"$work/members"
    strays=$newline$(cat "$work/stray")$newline
    while IFS=$separator read -r outcome _ path _; do
        case $outcome in
            ok | cut) ! is_member "$path" || say "$path" >>"$work/members" ;;
        esac
    done <"$work/entries"
}

# A file that was read. What could not be read and not be removed is none.
is_member() {
    case $strays in
        *"$newline$1$newline"*) return 1 ;;
    esac
    [ -f "$bundle/$1" ] && [ ! -L "$bundle/$1" ]
}

# Lines "SIZE DIGEST" in the same order, by few calls of programs for many files.
digest_members() {
    : >"$work/sums"
    [ -n "$digests" ] || return 0
    cd "$bundle" || return 0
    set --
    while IFS= read -r path <&4; do
        set -- "$@" "$path"
        if [ $# -eq 500 ]; then
            digest_files "$@"
            set --
        fi
    done 4<"$work/members"
    [ $# -eq 0 ] || digest_files "$@"
    cd /
}

digest_files() {
    wc -c "$@" >"$work/sizes"
    sha256sum "$@" >"$work/hashes"
    while read -r hash _ <&5 && read -r size _ <&6; do
        say "$size ${hash#\\}"
    done 5<"$work/hashes" 6<"$work/sizes" >>"$work/sums"
}

next_sum() {
    size=0
    hash=''
    [ -z "$digests" ] || read -r size hash <&4
}

write_entries() {
    comma=''
    while IFS=$separator read -r outcome collector path link why <&3; do
        case $outcome in
            task) write_task "$path" ;;
            ok | cut) write_member ;;
            *) write_entry '' ;;
        esac
    done 3<"$work/entries" 4<"$work/sums"
}

write_member() {
    if [ -L "$bundle/$path" ] && [ -n "$link" ]; then
        json "$link"
        write_entry ",\"link\":$quoted"
    elif is_member "$path"; then
        next_sum
        details=''
        [ "$size" = 0 ] || details=",\"size\":$size"
        [ -z "$hash" ] || details="$details,\"sha256\":\"$hash\""
        write_entry "$details"
    fi
}

write_entry() {
    json "$path"
    printf '%s{"path":%s' "$comma" "$quoted"
    [ "$outcome" = ok ] || printf ',"outcome":"%s"' "$outcome"
    [ -z "$collector" ] || printf ',"collector":"%s"' "$collector"
    printf '%s' "$1"
    if [ -n "$why" ]; then
        json "$why"
        printf ',"reason":%s' "$quoted"
    fi
    printf '}'
    comma=,$newline
}

# One digest over the lines "DIGEST  PATH" of its files, as sha256sum prints them.
write_task() {
    files=0
    for file in "$bundle/$1"/*/*; do
        [ ! -f "$file" ] || files=$((files + 1))
    done
    [ "$files" -gt 0 ] || return 0
    outcome=ok
    details=",\"files\":$files"
    if [ -n "$digests" ]; then
        bytes=$(of_task "$1" cat | wc -c)
        hash=$(of_task "$1" sha256sum | sha256sum)
        details="$details,\"size\":$((bytes)),\"sha256\":\"${hash%% *}\""
    fi
    write_entry "$details"
}

# of_task PATH PROGRAM: run it on hundreds of files at a time.
of_task() (
    cd "$bundle" || exit 1
    task=$1
    program=$2
    set --
    for file in "$task"/*/*; do
        [ ! -f "$file" ] || set -- "$@" "$file"
        if [ $# -ge 500 ]; then
            "$program" "$@"
            set --
        fi
    done
    [ $# -eq 0 ] || "$program" "$@"
)

write_commands() {
    comma=''
    while IFS=$separator read -r argv path outcome code why; do
        printf '%s{"argv":%s,"path":"%s"' "$comma" "$argv" "$path"
        [ "$outcome" = ok ] || printf ',"outcome":"%s"' "$outcome"
        if [ -n "$code" ] && [ "$code" -gt 128 ]; then
            printf ',"signal":%s' $((code - 128))
        elif [ -n "$code" ]; then
            printf ',"exit_code":%s' "$code"
        fi
        if [ -n "$why" ]; then
            json "$why"
            printf ',"reason":%s' "$quoted"
        fi
        printf '}'
        comma=,
    done <"$work/commands"
}

write_redactions() {
    comma=''
    IFS=$newline
    for kind in $redaction_kinds; do
        IFS=$blanks$newline
        total=0
        while read -r number name; do
            [ "$name" != "$kind" ] || total=$((total + number))
        done <"$work/redacted"
        if [ "$total" -gt 0 ]; then
            printf '%s"%s":%s' "$comma" "$kind" "$total"
            comma=,
        fi
    done
    IFS=$blanks$newline
}
