# What enters the bundle, and the lines for its manifest.

# record OUTCOME COLLECTOR PATH [LINK] [REASON]: a line for the manifest. What is "ok" counts if it is in the bundle at the end.
record() {
    printf '%s\037%s\037%s\037%s\037%s\n' "$1" "$2" "$3" "${4-}" "${5-}" >>"$work/entries"
}

# Names that JSON and tar need no care for.
is_plain() {
    case $1 in
        *[!\ -~]*) return 1 ;;
    esac
}

keep_folder() {
    [ -d "$1" ] || mkdir -p "$1"
}

# want PATH: list a file for the next copy_list.
want() {
    list=$list$1$newline
    num_listed=$((num_listed + 1))
}

# copy_list FROM TO FAILED: copy what is listed with one mkdir and one cp, as a thousand of them would take a second. FAILED is
# called for each that cannot be read, and for all where cp knows no --parents.
copy_list() {
    [ -n "$list" ] || return 0
    from=$1
    to=$2
    failed=$3
    split_list
    # shellcheck disable=SC2086
    set -- $list
    join_list
    printf '%s\n' "$to" "$@" >"$work/copying"
    make_folders "$@"
    cd "$from" || return
    if [ -z "$copies_parents" ] || ! cp --parents "$@" "$to/"; then
        for path in "$@"; do
            [ -s "$to/$path" ] || "$failed" "$path"
        done
    fi
    : >"$work/copying"
}

# Lists are split at newlines and are no patterns.
split_list() {
    IFS=$newline
    set -f
}

join_list() {
    IFS=$blanks$newline
    set +f
    list=''
    num_listed=0
}

make_folders() {
    last=''
    for path in "$@"; do
        case $path in
            "$last"/*) [ "${path%/*}" != "$last" ] || continue ;;
            */*) ;;
            *) path=./$path ;;
        esac
        last=${path%/*}
        list=$list$to/$last$newline
    done
    split_list
    # shellcheck disable=SC2086
    mkdir -p $list
    join_list
}

# A file of the host that may be empty, or not readable.
miss_file() {
    if why=$(cat "$1" 2>&1 >/dev/null); then
        cp "$1" "$to/$1"
    else
        drop "root/$1"
        outcome=absent
        [ -r "$1" ] || outcome=refused
        why=${why##*: }
        is_plain "$why" || why='cannot be read'
        record "$outcome" "$collector" "root/$1" '' "$why"
    fi
}

# drop PATH: what of a file is in the bundle is not to be taken for the file.
drop() {
    if [ -e "$bundle/$1" ]; then
        rm -f "$bundle/$1" || say "$1" >>"$work/stray"
    fi
}

# After a cp that hung: what it made and could not fill.
drop_empty() {
    to=''
    while IFS= read -r path; do
        if [ -z "$to" ]; then
            to=$path
        elif [ ! -s "$to/$path" ]; then
            drop "${to#"$bundle/"}/$path"
        fi
    done <"$work/copying"
}
