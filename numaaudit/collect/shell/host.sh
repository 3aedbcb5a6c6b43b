# Files, links and devices of the host. Bytes are kept at the real path and the links that lead there as links, so that the bundle
# is walked as the host is. Below /proc the path asked for is kept instead: there the links lead to whoever reads.

# follow PATH: sets place to where it leads below the root, and keeps the links on the way. Fails if it leads nowhere.
follow() {
    place=$1
    case $1 in
        proc/*) [ -e "$root/$1" ]; return ;;
    esac
    place=''
    rest=$1
    hops=0
    while [ -n "$rest" ]; do
        part=${rest%%/*}
        rest=${rest#"$part"}
        rest=${rest#/}
        case $part in
            '' | .) ;;
            ..)
                case $place in
                    */*) place=${place%/*} ;;
                    *) place='' ;;
                esac
                ;;
            *) follow_part "${place:+$place/}$part" || return 1 ;;
        esac
    done
}

follow_part() {
    if is_kept_link "$1"; then
        place=${PWD#"$root/"}
    elif [ -L "$root/$1" ]; then
        hops=$((hops + 1))
        [ "$hops" -le 40 ] && keep_link "$1" || return 1
        case $target in
            /*) place='' ;;
        esac
        rest=$target${rest:+/$rest}
    elif [ -e "$root/$1" ]; then
        place=$1
    else
        return 1
    fi
}

# A link to a folder below the root that was followed before: the shell itself knows where it leads.
is_kept_link() {
    [ -L "$bundle/root/$1" ] && [ -L "$root/$1" ] && cd -P "$root/$1" 2>/dev/null || return 1
    case $PWD in
        "$root"/*) ;;
        *) return 1 ;;
    esac
}

# keep_link PATH: sets target, and keeps the link where that was not done.
keep_link() {
    is_plain "$1" || return 1
    target=$(readlink "$root/$1") && is_plain "$target" || return 1
    [ ! -L "$bundle/root/$1" ] || return 0
    case $1 in
        */*) keep_folder "$bundle/root/${1%/*}" ;;
    esac
    cp -P "$root/$1" "$bundle/root/$1" && record ok "$collector" "root/$1" "$target"
}

# files FOLDER NAME...: keep the named files of every folder that matches. Both may be patterns.
files() {
    pattern=$1
    shift
    printf '%s\n' "$pattern/$1" >"$work/trying"
    places=$newline
    for folder in "$root"/$pattern; do
        folder=${folder#"$root/"}
        is_any_chosen "$@" || continue
        if follow "$folder"; then
            is_other_place && keep_files "$@"
        else
            miss_literals "$@"
        fi
        [ "$num_listed" -lt 500 ] || copy_list "$root/" "$bundle/root" miss_file
    done
    copy_list "$root/" "$bundle/root" miss_file
}

# Two links may lead to one folder.
is_other_place() {
    [ "$place" != "$folder" ] || return 0
    case $places in
        *"$newline$place$newline"*) return 1 ;;
    esac
    places=$places$place$newline
}

is_any_chosen() {
    for name in "$@"; do
        path=$folder/$name
        ! $choose || return 0
    done
    return 1
}

# What was asked for by its full name and is not there.
miss_literals() {
    for name in "$@"; do
        is_pattern "$pattern/$name" || record absent "$collector" "root/$pattern/$name" '' 'not on this host'
    done
}

is_pattern() {
    case $1 in
        *[*?[]*) ;;
        *) return 1 ;;
    esac
}

keep_files() {
    for name in "$@"; do
        for file in "$root/$place"/$name; do
            file=${file##*/}
            if [ -f "$root/$place/$file" ]; then
                ! want_file || want "$place/$file"
            elif [ ! -e "$root/$place/$file" ]; then
                miss_literals "$name"
            fi
        done
    done
}

# Whether it goes with the others: it is no link, is chosen, needs no redaction, and is not there yet.
want_file() {
    path=$folder/$file
    $choose || return 1
    case $place/$file in
        proc/*) ;;
        *)
            if [ -L "$root/$place/$file" ]; then
                keep_behind_link
                return 1
            fi
            ;;
    esac
    is_new "$place/$file" || return 1
    filter_of "$place/$file"
    if [ -n "$filter" ]; then
        keep_filtered "$place/$file"
        return 1
    fi
    record ok "$collector" "root/$place/$file"
}

# The file that a link leads to, at its real path.
keep_behind_link() {
    held=$place
    if follow "$path" && is_new "$place"; then
        filter_of "$place"
        case $filter$newline$list in
            "$newline"*"$newline$place$newline"*) ;;
            "$newline"*)
                record ok "$collector" "root/$place"
                want "$place"
                ;;
        esac
    fi
    place=$held
}

is_new() {
    is_plain "$1" && [ ! -e "$bundle/root/$1" ]
}

every() {
    :
}

# keep_filtered PATH: what is not kept as it is goes through its filter on the way.
keep_filtered() {
    if [ "$filter" = none ]; then
        record not-run "$collector" "root/$1" '' 'this script cannot redact it; run: numaaudit collect'
    elif true <"$root/$1"; then
        keep_folder "$bundle/root/${1%/*}"
        cat "$root/$1" | $filter >"$bundle/root/$1"
        record ok "$collector" "root/$1"
    else
        record refused "$collector" "root/$1" '' 'Permission denied'
    fi
}

links() {
    printf '%s\n' "$1" >"$work/trying"
    for link in "$root"/$1; do
        path=${link#"$root/"}
        if [ ! -L "$link" ]; then
            [ -e "$link" ] || is_pattern "$1" || record absent "$collector" "root/$1" '' 'not on this host'
        elif $choose && follow "${path%/*}"; then
            keep_link "$place/${path##*/}"
        fi
    done
}

# A device node is kept as an empty file, its numbers in the manifest.
devices() {
    printf '%s\n' "$1" >"$work/trying"
    for device in "$root"/$1; do
        path=${device#"$root/"}
        is_plain "$path" || continue
        why=''
        if [ -c "$device" ]; then
            numbers=$(stat -c '0x%t 0x%T' "$device" 2>/dev/null) || numbers=''
            [ -z "$numbers" ] || why="character device $((${numbers% *})):$((${numbers#* }))"
        elif [ ! -f "$device" ]; then
            continue
        fi
        keep_folder "$bundle/root/${path%/*}"
        : >"$bundle/root/$path"
        record ok "$collector" "root/$path" '' "$why"
    done
}

read_host() {
    choose=every
    "host_$1"
}

miss_host() {
    drop_empty
    if [ "$1" = timed-out ]; then
        trying=''
        read -r trying <"$work/trying"
        record "$1" "$2" "root/$trying" '' "$3"
    else
        patterns_of "$2" | while IFS= read -r trying; do
            record "$1" "$2" "root/$trying" '' "$3"
        done
    fi
}
