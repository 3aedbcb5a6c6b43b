# One collection. Order: processes, files of the host, tools, GPU tools, second reading. The last may disturb or hang what they ask.

pids=''
match=''
gpu_procs=''
all_processes=''
host_only=''
pages=none
deadline=60
output=''
root=''
arguments=''
readings=''
running=''
tool_number=0
wanted=''
copies_parents=''
list=''
num_listed=0
separator=$(printf '\037')

wrong_usage() {
    complain "$1"
    say "    $0 --help lists the options" >&2
    exit 2
}

parse_options() {
    while [ $# -gt 0 ]; do
        given=$1
        shift
        case $given in
            --help | -h)
                usage
                exit 0
                ;;
            --version)
                say "numaaudit-collect $version"
                exit 0
                ;;
        esac
        option_of "${given%%=*}" || wrong_usage "$given: no such option of this script"
        case $option:$given in
            gpu_procs:* | all_processes:* | host_only:*)
                value=yes
                add_argument "$given"
                ;;
            *:--*=*)
                value=${given#*=}
                add_argument "${given%%=*}" "$value"
                ;;
            *)
                [ $# -gt 0 ] || wrong_usage "$given: needs a value"
                value=$1
                shift
                add_argument "$given" "$value"
                ;;
        esac
        [ -n "$value" ] || wrong_usage "${given%%=*}: empty"
        take_option
    done
    check_options
}

# What it writes to is no evidence.
add_argument() {
    case $option in
        output | root) return ;;
    esac
    for word in "$@"; do
        json "$word"
        arguments=$arguments,$quoted
    done
}

take_option() {
    case $option in
        pids)
            is_number "$value" || wrong_usage "--pid $value: not a number"
            pids="$pids $value"
            ;;
        match) match=$value ;;
        gpu_procs) gpu_procs=yes ;;
        all_processes) all_processes=yes ;;
        host_only) host_only=yes ;;
        pages) pages=$value ;;
        deadline_s) deadline=$value ;;
        output) output=$value ;;
        root) root=${value%/} ;;
    esac
}

check_options() {
    if [ -n "$host_only" ] && [ -n "$pids$match$gpu_procs$all_processes" ]; then
        wrong_usage '--host-only collects no process, so it cannot be combined with a choice of processes'
    fi
    case $pages in
        none | full) ;;
        *) wrong_usage "--pages $pages: not none or full" ;;
    esac
    is_number "$deadline" && [ "$deadline" -gt 0 ] || wrong_usage "--deadline $deadline: not a number of seconds above 0"
    case $root in
        '') ;;
        *) root=$(cd -P "$root" 2>/dev/null && pwd -P) || wrong_usage "--root: no such directory" ;;
    esac
    [ -z "$match" ] || say '' | grep -E -e "$match" >/dev/null 2>&1 || [ $? -eq 1 ] ||
        wrong_usage "--match $match: not an extended regular expression"
}

make_work() {
    work=${TMPDIR:-/tmp}/numaaudit.$$
    case $work in
        /*) ;;
        *) work=$PWD/$work ;;
    esac
    until mkdir "$work" 2>/dev/null; do
        [ -e "$work" ] || [ -L "$work" ] || { complain "$work: cannot be made"; exit 4; }
        work=$work.1
    done
    bundle=$work/bundle
    mkdir "$bundle"
    for name in entries commands redacted stray copying; do
        : >"$work/$name"
    done
}

clean_up() {
    trap '' INT TERM HUP USR1
    kill "$ticker" 2>/dev/null
    if has rm; then
        cd / && rm -rf "$work"
    else
        complain "rm is not in PATH, so $work stays; all in it is redacted"
    fi
}

# The first time what was read is written, the second time nothing is left.
interrupt() {
    if [ -n "$stopped" ]; then
        [ -z "$worker" ] || kill_tree "$worker"
        [ -z "$part" ] || rm -f "$part"
        exit 130
    fi
    stopped=yes
}

note_reading() {
    json "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    readings=$readings,$quoted
}

list_selected() {
    while read -r pid _; do
        say "$pid"
    done <"$work/selected" >"$work/items"
}

collect() {
    collected_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    choose_processes
    list_selected
    [ ! -s "$work/items" ] || note_reading
    each read_process 10 miss_process
    first=$tick
    say "$host_collectors" >"$work/items"
    each read_host 10 miss_host
    list_cgroups >"$work/items" 2>/dev/null
    each read_cgroup 10 miss_cgroup
    start_tools
    wait_for_tools 15
    start_gpu_tools
    wait_for_tools 15
    list_selected
    if [ -s "$work/items" ]; then
        wait_until $((first + 2)) # between two ticks there may be less than a second
        note_reading
        each read_again 10 miss_again
    fi
    note_tasks
}

wait_until() {
    while [ "$tick" -lt "$1" ] && ! is_late; do
        wait "$ticker" 2>/dev/null
    done
}

note_tasks() {
    while read -r pid _; do
        for path in "root/proc/$pid/task" "again/1/root/proc/$pid/task"; do
            [ ! -d "$bundle/$path" ] || record task threads "$path"
        done
    done <"$work/selected"
}

main() {
    worker=''
    part=''
    parse_options "$@"
    safe_path
    need_tools
    digests=''
    if has sha256sum && has wc; then
        digests=yes
    fi
    check_output
    make_work
    mkdir "$work/from" "$work/to"
    : >"$work/from/file"
    ! (cd "$work" && cp --parents from/file to/) 2>/dev/null || copies_parents=yes
    start_ticker
    trap clean_up EXIT
    trap interrupt INT TERM HUP
    [ -n "$digests" ] ||
        record not-run '' manifest.json '' 'sha256sum or wc is missing, so there are no digests and nothing can be verified'
    note_left_out
    record not-run '' 'samples/*' '' "a shell script cannot sample pages, ask the kubelet's socket or watch; run: numaaudit collect"
    find_host_id
    collect
    finish
}
