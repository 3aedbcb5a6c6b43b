# Filters that stand in a pipe between a file and the disk. Each reads stdin and writes what may be stored.
# NUL ends a string where newline ends a line, so tr exchanges them; what is not ASCII is never kept and becomes a control character.

# count KIND NUMBER: what was taken out.
count() {
    [ "$2" -le 0 ] || printf '%s\n' "$2 $1" >>"$work/redacted"
}

filter_environ() {
    tr '\000\n\200-\377' '\n\001\002' | keep_variables | tr '\n' '\000'
}

keep_variables() {
    total=0
    shown=0
    while IFS= read -r entry || [ -n "$entry" ]; do
        total=$((total + 1))
        case $entry in
            *=*) fit assignment "$entry" ;;
            *) continue ;;
        esac
        if [ "$fitting" != "$mark" ]; then
            shown=$((shown + 1))
            say "$fitting"
        fi
    done
    count 'environment variable' $((total - shown))
}

filter_cmdline() {
    tr '\000\n\001\200-\377' '\n\001\002\002' | keep_words | tr '\n\001' '\000\n'
}

# A word a line, where NULs were; or one line with blanks, where the process set a title of its own. NULs at the end are padding.
keep_words() {
    begin_command
    gone=0
    several=''
    held=''
    ends=''
    while IFS= read -r entry; do
        next_word "$entry"
        ends=$ends$newline
    done
    [ -z "$entry" ] || next_word "$entry"
    if [ -n "$several" ]; then
        keep_counted "$held"
    else
        keep_title "$held"
    fi
    printf '%s' "$ends"
    count 'command-line word' "$gone"
}

# The word before this one is let go, followed by as many NULs as came after it.
next_word() {
    if [ -z "$ends" ]; then
        held=$1
    elif [ -n "$1" ]; then
        several=yes
        keep_counted "$held"
        printf '%s' "$ends"
        [ "$ends" = "$newline" ] || awaits=''
        held=$1
        ends=''
    fi
}

keep_counted() {
    keep_word "$1"
    printf '%s' "$kept"
    case $1 in
        *"$mark"*) return ;;
    esac
    case $kept in
        *"$mark"*) gone=$((gone + 1)) ;;
    esac
}

# Newlines are \001 here.
blank_run=$(printf ' \t\001')
keep_title() {
    title=$1
    while [ -n "$title" ]; do
        words=${title#"${title%%[!"$blank_run"]*}"}
        printf '%s' "${title%"$words"}"
        entry=${words%%["$blank_run"]*}
        title=${words#"$entry"}
        [ -z "$entry" ] || keep_counted "$entry"
    done
}

filter_kernel_parameters() {
    tr '\000\n\t\v\f\r' '      ' | (
        set -f
        read -r line
        list=''
        gone=0
        for word in $line; do
            if is_kernel_parameter "${word%%=*}"; then
                list=${list:+$list }$word
            else
                gone=$((gone + 1))
            fi
        done
        say "$list"
        count 'kernel parameter' "$gone"
    )
}

# /proc/PID/mounts (fstab(5)): pseudo file systems whole; of others the type, a block device, and / as mount point.
filter_mounts() (
    set -f
    gone=0
    while read -r line || [ -n "$line" ]; do
        # shellcheck disable=SC2086
        set -- $line
        if [ $# -lt 4 ]; then
            say "${line:+$mark}"
            [ -z "$line" ] || gone=$((gone + 1))
        elif is_pseudo "$3" "$2"; then
            keep_pseudo "$@"
        else
            gone=$((gone + 3))
            source=$mark
            point=$mark
            if is_block_device "$1" || [ "$1" = "$3" ]; then
                source=$1
                gone=$((gone - 1))
            fi
            if [ "$2" = / ]; then
                point=/
                gone=$((gone - 1))
            fi
            kind=$3
            shift 4
            say "$source $point $kind $mark${1+ $1}${2+ $2}"
        fi
    done
    count mount "$gone"
)

is_pseudo() {
    is_pseudo_file_system "$1" || return 1
    [ "$1" = tmpfs ] || return 0
    case $2 in
        /dev | /dev/* | /proc | /proc/* | /run | /run/* | /sys | /sys/* | /tmp) ;;
        *) return 1 ;;
    esac
}

keep_pseudo() {
    if [ "$3" = tmpfs ]; then
        case $1 in
            tmpfs | none | shm | udev | devtmpfs | run | dev) ;;
            *)
                gone=$((gone + 1))
                shift
                set -- "$mark" "$@"
                say "$*"
                return
                ;;
        esac
    fi
    say "$line"
}

is_block_device() {
    case $1 in
        /dev/*[!0-9A-Za-z_/.+:-]*) return 1 ;;
        /dev/?*) [ "${#1}" -le 261 ] ;;
        *) return 1 ;;
    esac
}

# Names of mapped files: the kind of file stays, what a user called it does not. A mapped model has tens of thousands of lines, which
# read would take byte by byte.
filter_numa_maps() (
    gone=0
    before=''
    set -f
    IFS=$newline
    for line in $(cat); do
        case $line in
            *' file='*) keep_mapping ;;
        esac
        say "$line"
    done
    count 'file name' "$gone"
)

# The lines of one file come one after the other.
keep_mapping() {
    IFS=' '
    shown=''
    for word in $line; do
        case $word in
            "$before")
                word=$after
                [ "$before" = "$after" ] || gone=$((gone + 1))
                ;;
            file=*)
                before=$word
                keep_name "${word#file=}"
                word=file=$kept
                after=$word
                ;;
        esac
        shown="$shown $word"
    done
    line=${shown# }
    IFS=$newline
}

keep_name() {
    kept=$1
    case $1 in
        /dev/shm/* | /dev/hugepages* | /dev/mqueue/*) ;;
        /dev/* | /usr/* | /lib/* | /lib32/* | /lib64/* | /bin/* | /sbin/*) return ;;
        /opt/*) ! is_of_opt "${1%'\040(deleted)'}" || return 0 ;;
        /anon_hugepage | '/anon_hugepage\'*) return ;;
        /SYSV????????'\'* | /SYSV????????)
            case ${1#/SYSV} in
                [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*) return ;;
            esac
            ;;
    esac
    gone=$((gone + 1))
    deleted=''
    path=${1%'\040(deleted)'}
    [ "$path" = "$1" ] || deleted='\040(deleted)'
    case $path in
        /memfd:*) place=/memfd: ;;
        /dmabuf:*) place=/dmabuf: ;;
        /dev/shm/*) place=/dev/shm/ ;;
        /dev/mqueue/*) place=/dev/mqueue/ ;;
        /dev/hugepages*/*)
            place=${path#/dev/}
            place=/dev/${place%%/*}/
            ;;
        *) place=/ ;;
    esac
    last=${path##*/}
    while :; do
        case $last in
            *.*[0-9] | *.) last=${last%[.0-9]} ;;
            *) break ;;
        esac
    done
    extension=''
    case $last in
        *.*) ! is_known_extension "${last##*.}" || extension=.${last##*.} ;;
    esac
    kept=$place$mark$extension$deleted
}

# A program or a library of a package below /opt.
is_of_opt() {
    case $1 in
        *[!0-9A-Za-z_./+-]*) return 1 ;;
    esac
    case ${1%/*} in
        */bin) return 0 ;;
    esac
    library=$1
    while :; do
        case $library in
            *[.0-9]) library=${library%?} ;;
            *.so) return 0 ;;
            *) return 1 ;;
        esac
    done
}
