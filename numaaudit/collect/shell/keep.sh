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

# copy_files FOLDER FILE...: if they cannot all be read, each is looked at alone.
copy_files() {
    keep_folder "$1"
    copying=$1
    printf '%s\n' "$1" >"$work/copying"
    shift
    cp "$@" "$copying/" && return
    for source in "$@"; do
        path=${copying#"$bundle/"}/${source##*/}
        if why=$(cat "$source" 2>&1 >/dev/null); then
            cp "$source" "$copying/"
        else
            drop "$path"
            outcome=absent
            [ -r "$source" ] || outcome=refused
            why=${why##*: }
            is_plain "$why" || why='cannot be read'
            record "$outcome" "$collector" "$path" '' "$why"
        fi
    done
}

# drop PATH: what of a file is in the bundle is not to be taken for the file.
drop() {
    if [ -e "$bundle/$1" ]; then
        rm -f "$bundle/$1" || say "$1" >>"$work/stray"
    fi
}

# After a cp that hung: what it made and could not fill.
drop_empty() {
    copying=''
    [ -e "$work/copying" ] && read -r copying <"$work/copying"
    [ -n "$copying" ] || return 0
    for file in "$copying"/*; do
        [ -s "$file" ] || [ -d "$file" ] || [ -L "$file" ] || drop "${file#"$bundle/"}"
    done
}
