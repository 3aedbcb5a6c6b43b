# The files of one process. What cannot wait for a lock comes first, so that a process that hangs still gives its masks, its threads
# and its open devices. The shell stands in /proc/PID: once the process has ended nothing can be read there, even where the PID is
# in use again.

read_process() {
    pid=$1
    own=proc/$pid
    trying=''
    : >"$work/trying"
    if ! cd "$root/$own"; then
        record gone '' "root/$own" '' 'no such process'
        return
    fi
    read_own_files
    read_open_files
    read_threads
    read_locking_files
    read_policies
    true <stat || record gone '' "root/$own" '' 'the process ended while it was read'
    cd /
}

miss_process() {
    trying=''
    read -r trying <"$work/trying"
    [ -z "$trying" ] || drop "root/proc/$2/$trying"
    record "$1" '' "root/proc/$2${trying:+/$trying}" '' "$3"
    is_after=''
    for each_one in $locking_files; do
        each_one=${each_one#*:}
        if [ -n "$is_after" ]; then
            record not-run '' "root/proc/$2/$each_one" '' "no answer from proc/$2/$trying, which comes before it"
        fi
        [ "$each_one" != "$trying" ] || is_after=yes
    done
}

# try NAME: the file that will be recorded if there is no answer.
try() {
    printf '%s\n' "$1" >"$work/trying"
}

# can_read COLLECTOR NAME: or it says why not.
can_read() {
    if [ ! -e "$2" ]; then
        record absent "$1" "root/$own/$2" '' 'No such file or directory'
        return 1
    elif ! true <"$2"; then
        record refused "$1" "root/$own/$2" '' "needs the process's own user, or CAP_SYS_PTRACE; run this script as root"
        return 1
    fi
}

read_own_files() {
    for each_one in $own_files; do
        name=${each_one#*:}
        if can_read "${each_one%%:*}" "$name"; then
            record ok "${each_one%%:*}" "root/$own/$name"
            want "$name"
        fi
    done
    copy_list . "$bundle/root/$own" drop_unread
}

# cp stopped before it, or the process has ended, so that cp made a file with nothing in it.
drop_unread() {
    cp "$1" "$to/$1" || drop "root/$own/$1"
}

# The open files worth keeping: device files, so that no other descriptor has to be asked for its target.
read_open_files() {
    [ -n "$open_files" ] || return 0
    if [ -d fd ] && [ ! -r fd ]; then
        record refused '' "root/$own/fd" '' "needs the process's own user, or CAP_SYS_PTRACE; run this script as root"
        return
    fi
    for link in fd/*; do
        is_device "$link" || continue
        target=$(readlink "$link") && is_plain "$target" || continue
        for each_one in $open_files; do # COLLECTOR:PREDICATE:FOLDER
            predicate=${each_one#*:}
            beside=${predicate#*:}
            "${predicate%%:*}" "$target" || continue
            if [ ! -L "$bundle/root/$own/$link" ]; then
                keep_folder "$bundle/root/$own/fd"
                cp -P "$link" "$bundle/root/$own/fd/"
                record ok "${each_one%%:*}" "root/$own/$link" "$target"
            fi
            [ -z "$beside" ] || read_beside "${each_one%%:*}" "$beside/${link#fd/}"
        done
    done
}

# Not a file, a pipe, a socket or /dev/null. In a recorded root the link leads nowhere and only its target counts.
is_device() {
    [ -L "$1" ] || return 1
    if [ -e "$1" ]; then
        [ -c "$1" ] && ! [ "$1" -ef /dev/null ]
    fi
}

read_beside() {
    can_read "$1" "$2" || return 0
    keep_folder "$bundle/root/$own/${2%/*}"
    record ok "$1" "root/$own/$2"
    cp "$2" "$bundle/root/$own/$2"
}

# The files of a thread that has ended meanwhile are left out.
read_threads() {
    for folder in task/[0-9]*; do
        for name in $thread_files; do
            [ ! -e "$folder/$name" ] || want "$folder/$name"
        done
        [ "$num_listed" -lt 500 ] || copy_list . "$bundle/root/$own" drop_thread
    done
    copy_list . "$bundle/root/$own" drop_thread
}

drop_thread() {
    cp "$1" "$to/$1" || rm -rf "$to/${1%/*}"
}

# What takes the process's mmap_lock, one after the other.
read_locking_files() {
    policy=''
    for each_one in $locking_files; do
        name=${each_one#*:}
        try "$name"
        can_read "${each_one%%:*}" "$name" || continue
        keep_folder "$bundle/root/$own"
        case $name in
            numa_maps) read_pages "${each_one%%:*}" ;;
            *) read_filtered "${each_one%%:*}" "$name" ;;
        esac
    done
}

read_filtered() {
    filter_of "$own/$2"
    case $filter in
        none) record not-run "$1" "root/$own/$2" '' 'this script cannot redact it; run: numaaudit collect' ;;
        '') cp "$2" "$bundle/root/$own/$2" && record ok "$1" "root/$own/$2" ;;
        *)
            cat "$2" | $filter >"$bundle/root/$own/$2"
            record ok "$1" "root/$own/$2"
            ;;
    esac
}

# numa_maps whole, or only its policy: reading it holds up a large process for long.
read_pages() {
    read_policy numa_maps
    if [ "$pages" = full ]; then
        read_filtered "$1" numa_maps
    elif [ -n "$policy" ]; then
        say "$policy" >"$bundle/root/$own/numa_maps"
        record cut "$1" "root/$own/numa_maps" '' "the script reads only the policy; run it with --pid $pid --pages full, or numaaudit collect --pid $pid"
    elif [ -n "$head" ]; then
        record cut "$1" "root/$own/numa_maps" '' 'no policy that is known in its first bytes'
    else
        : >"$bundle/root/$own/numa_maps"
        record ok "$1" "root/$own/numa_maps"
    fi
}

# read_policy FILE: sets policy to address and policy of the first mapping. Read byte by byte, the kernel walks no other.
# The words are those of mpol_to_str() in the kernel's mm/mempolicy.c.
read_policy() {
    policy=''
    head=''
    IFS= $read_line head <"$1"
    words=${head#* }
    address=${head%%[!0-9a-f]*}
    mode=${words%%[ =:]*}
    case $words in
        'weighted interleave'*) mode='weighted interleave' ;;
        'prefer (many)'*) mode='prefer (many)' ;;
    esac
    case $mode in
        default | local | 'prefer (many)' | prefer | bind | 'weighted interleave' | interleave | unknown) ;;
        *) return 1 ;;
    esac
    more=${words#"$mode"}
    more=${more%%[ "$newline"]*}
    case $more in
        '' | [=:]*) [ "$address" = "${head%% *}" ] && [ "${#address}" -le 16 ] || return 1 ;;
        *) return 1 ;;
    esac
    case $more in
        *[!0-9a-z,:=\|-]*) return 1 ;;
    esac
    policy="$address $mode$more"
}

# The policies of threads that differ from the main thread's. A refusal is that of all: they share one mm.
read_policies() {
    [ -n "$thread_policies" ] && true <numa_maps || return 0
    try 'task/*/numa_maps'
    main=$policy
    for folder in task/[0-9]*; do
        for name in $thread_policies; do
            read_policy "$folder/$name" || continue
            if [ "$policy" != "$main" ]; then
                say "$policy" >"$bundle/root/$own/$folder/$name"
            fi
        done
    done
}

# CPU times of a process and its threads once more. Of another process with the same PID they would be worth nothing.
read_again() {
    own=proc/$1
    again=$bundle/again/1/root/$own
    started=$(start_ticks <"$bundle/root/$own/stat") && [ -n "$started" ] || return 0
    if ! cd "$root/$own"; then
        record gone '' "again/1/root/$own" '' 'the process ended between the readings'
        return
    fi
    if [ "$(start_ticks <stat)" != "$started" ]; then
        record gone '' "again/1/root/$own" '' "the PID is another process's by now"
        return
    fi
    record ok process_status "again/1/root/$own/stat"
    want stat
    for folder in task/[0-9]*; do
        [ ! -e "$folder/stat" ] || want "$folder/stat"
        [ "$num_listed" -lt 500 ] || copy_list . "$again" drop_thread
    done
    copy_list . "$again" drop_thread
    cd /
}

miss_again() {
    record "$1" '' "again/1/root/proc/$2" '' "$3"
}

# Field 22 of proc_pid_stat(5). The name before it may hold blanks, parentheses and newlines.
start_ticks() (
    text=''
    while IFS= read -r line; do
        text="$text $line"
    done
    set -f
    # shellcheck disable=SC2086
    set -- ${text##*)}
    [ $# -lt 20 ] || say "${20}"
)
