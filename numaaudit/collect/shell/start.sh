# The tools this needs: cat cp mkdir tar tr grep readlink date. Everything else is looked for, and what is missing is said.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH GREP_OPTIONS GREP_COLOR TAR_OPTIONS GZIP TAPE ENV BASH_ENV
umask 077
blanks=' 	'
newline='
'
IFS=$blanks$newline

say() {
    printf '%s\n' "$*"
}

complain() {
    printf 'numaaudit: %s\n' "$*" >&2
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# The entries of PATH that are absolute and that not everybody can write to.
safe_path() {
    given=$PATH
    PATH=/usr/sbin:/usr/bin:/sbin:/bin
    safe=''
    IFS=:
    for folder in $given; do
        IFS=$blanks$newline
        case $folder in
            /*) is_safe "$folder" && safe=${safe:+$safe:}$folder ;;
        esac
    done
    IFS=$blanks$newline
    PATH=${safe:-$PATH}
    export PATH
}

is_safe() {
    [ -d "$1" ] || return 1
    case $(ls -ldL "$1/" 2>/dev/null) in
        ????????w*) return 1 ;;
    esac
}

need_tools() {
    for tool in cat cp mkdir tar tr grep readlink date; do
        has "$tool" || { complain "$tool is not in PATH, and nothing can be collected without it"; exit 4; }
    done
    if [ -n "${BASH_VERSION-}" ]; then
        read_line='read -r -n 256' # bash would read a block, and the kernel would walk as many mappings as fill it
    else
        read_line='read -r'
    fi
}
