# Command lines: names of programs, modules and listed options stay; every other word becomes [redacted] in its place.

mark='[redacted]'
not_first='*[!0-9A-Za-z_.:+()<>@-]*'
not_name='*[!0-9A-Za-z_.:+-]*'
not_plain='*[!0-9A-Za-z_.,:;+=|*@%(){}<>!^/ [-]*' # nor ], which a set can only begin with
not_numbers='*[!0-9.,:/*|x()-]*'
not_hex='*[!0-9a-fA-Fx,]*'
not_setting='*[!0-9A-Za-z_.,:;+=*/|()-]*'
not_module='*[!0-9A-Za-z_.]*'
not_variable='*[!0-9A-Za-z_]*'

begin_command() {
    is_first=yes
    program=''
    wants_program=yes
    follows_program=''
    awaits=''
}

# keep_word WORD: sets kept to what may be stored of the next word of a command line.
keep_word() {
    if [ -z "$1" ]; then
        awaits=''
        kept=''
        return
    fi
    follows=$follows_program
    follows_program=''
    kept=$mark
    judge_word "$1"
    is_first=''
    if [ "$kept" = "$mark" ]; then
        wants_program=''
        awaits=''
    fi
}

judge_word() {
    if [ -n "$is_first" ]; then
        start_program "${1##*/}" first
    elif [ "$1" = -- ]; then
        kept=$1
    elif [ "${1#-}" != "$1" ] && ! is_numbers "$1"; then
        keep_option "$1"
    elif [ -n "$awaits" ]; then
        keep_awaited "$1"
    elif [ -n "$follows" ] && is_subcommand "$1"; then
        follows_program=yes
        kept=$1
    elif [ -n "$wants_program" ]; then
        keep_bare "$1"
    fi
}

keep_option() {
    name=${1%%=*}
    awaits=''
    long=$name
    while :; do
        case $long in
            *_*) long=${long%%_*}-${long#*_} ;;
            *) break ;;
        esac
    done
    option_kind "$long" "$program $name"
    if [ -z "$kind" ]; then
        option_kind '' "$program ${1%"${1#??}"}"
        if [ "$kind" = list ] && is_numbers "${1#??}"; then
            kept=$1
        fi
    elif [ "$name" != "$1" ]; then
        [ "$kind" != flag ] || kind=list
        fit "$kind" "${1#*=}"
        kept=$name=$fitting
    else
        case $kind in
            code) wants_program='' ;;
            flag) ;;
            *) awaits=$kind ;;
        esac
        kept=$1
    fi
}

keep_awaited() {
    awaited=$awaits
    awaits=''
    if [ "$awaited" = list ] || [ "$awaited" = more ]; then
        if is_numbers "$1"; then
            awaits=more
            kept=$1
        elif [ "$awaited" = more ] && [ -n "$wants_program" ]; then
            keep_bare "$1"
        fi
        return
    fi
    fit "$awaited" "$1"
    kept=$fitting
    if [ "$awaited" = module ] && [ "$kept" != "$mark" ]; then
        program=${1%%.*}
        wants_program=''
    fi
}

keep_bare() {
    case $1 in
        *=*)
            fit assignment "$1"
            kept=$fitting
            ;;
        *)
            if is_numbers "${1##*/}"; then
                kept=${1##*/}
            else
                start_program "${1##*/}" later
            fi
            ;;
    esac
}

start_program() {
    if [ "$2" = first ]; then
        name=${1#-}
        case $name in
            [!0-9A-Za-z_.\(\<]* | '' | $not_first) return ;;
        esac
    else
        name=$1
        case $name in
            [!A-Za-z_]* | '' | $not_name) return ;;
        esac
    fi
    [ "${#name}" -le 64 ] || return 0
    kept=$1
    program=$1
    case $1 in
        python*) family=python ;;
        llama*) family=llama ;;
        *) family='' ;;
    esac
    case $1 in
        *[!0-9A-Za-z_.-]*) ;;
        *) program=${family:-$1} ;;
    esac
    wants_program=''
    ! is_starter "$program" || wants_program=yes
    follows_program=yes
}

is_numbers() {
    case $1 in
        all | same | auto | none | nobind) return 0 ;;
        0x?*)
            case ${1#0x} in
                $not_hex) ;;
                *) [ "${#1}" -le 8193 ] && return 0 ;;
            esac
            ;;
    esac
    numbers=${1#[+!-]}
    case $numbers in
        [!0-9]* | '' | $not_numbers) return 1 ;;
    esac
    [ "${#numbers}" -le 8192 ]
}

# fit KIND VALUE: sets fitting to the value if it has the form that such an option takes.
fit() {
    fitting=$mark
    [ "${#2}" -le 8192 ] || [ "$1" = assignment ] || return 0
    case $1 in
        list) ! is_numbers "$2" || fitting=$2 ;;
        word)
            case $2 in
                '' | $not_setting | */) ;;
                *) fitting=${2##*/} ;;
            esac
            ;;
        module)
            case $2 in
                [!A-Za-z_]* | '' | $not_module) ;;
                *) [ "${#2}" -gt 128 ] || fitting=$2 ;;
            esac
            ;;
        assignment) fit_assignment "$2" ;;
    esac
}

fit_assignment() {
    is_listed_variable "${1%%=*}" || return 0
    fitting=${1%%=*}
    case $1 in
        *=*) ;;
        *) return 0 ;;
    esac
    value=${1#*=}
    without=$value
    while :; do
        case $without in
            *\]*) without=${without%%\]*}${without#*\]} ;;
            *) break ;;
        esac
    done
    case $without in
        $not_plain) value=$mark ;;
        *) [ "${#value}" -le 8192 ] || value=$mark ;;
    esac
    case $value in
        /*) value=${value##*/} ;;
    esac
    fitting=$fitting=$value
}
