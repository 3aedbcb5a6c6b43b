# Where the bundle goes: under the name that was asked for, else a new one. It appears whole, readable for its owner only, or not.
# For - it goes to standard output once it is whole, and what there is to say to standard error.

to_stdout=''

check_output() {
    case $output in
        -)
            [ ! -t 1 ] || wrong_usage '--output -: standard output is a terminal'
            to_stdout=yes
            return
            ;;
        '' | /*) ;;
        *) output=$PWD/$output ;;
    esac
    folder=$PWD
    case $output in
        '') ;;
        *.tar) ;;
        *.tar.gz | *.tgz) has gzip || wrong_usage "$output: gzip is not in PATH; name a .tar" ;;
        *) wrong_usage "$output: a shell can write .tar and .tar.gz" ;;
    esac
    [ -z "$output" ] || folder=${output%/*}
    [ ! -e "$output" ] || { complain "$output: exists already"; exit 4; }
    [ -d "${folder:-/}" ] && [ -w "${folder:-/}" ] || { complain "${folder:-/}: not a folder that can be written to"; exit 4; }
}

# Written by a shell in the background, which Ctrl-C does not reach.
finish() {
    interrupted=false
    [ -z "$stopped" ] || interrupted=true
    if [ -n "$to_stdout" ]; then
        folder=$work
        output=''
    fi
    name_output
    part=${output%/*}/.${output##*/}.$$.part
    has rm || part=$output
    (write_manifest && write_bundle) </dev/null 2>"$work/errors" &
    worker=$!
    while :; do
        wait "$worker" 2>/dev/null
        code=$?
        [ "$code" -gt 128 ] && [ "$code" -ne 137 ] || break
    done
    worker=''
    if [ "$code" -ne 0 ]; then
        ! has rm || rm -f "$part"
        cat "$work/errors" >&2
        complain "$output: not written"
        exit 4
    fi
    if [ -n "$to_stdout" ]; then
        cat "$output" || { complain 'standard output: not written'; exit 4; }
        output='standard output'
        summarise >&2
    else
        summarise
    fi
    [ -z "$stopped" ] || exit 130
    exit 0
}

name_output() {
    [ -z "$output" ] || return 0
    stamp=$(printf '%s' "$collected_at" | tr -d ':-')
    ending=tar
    has gzip && ending=tar.gz
    id=${host_id%"${host_id#????}"}
    output=$folder/numaaudit-$stamp-${id:-0000}.$ending
    number=1
    while [ -e "$output" ]; do
        number=$((number + 1))
        output=$folder/numaaudit-$stamp-${id:-0000}-$number.$ending
    done
}

write_bundle() {
    cd "$bundle" || return 1
    leave_no_empty_folder
    set -- manifest.json
    for name in root again commands; do
        [ ! -d "$name" ] || set -- "$@" "$name"
    done
    choose_tar_options
    set -C
    case $output in
        *.tar) tar $tar_options -cf - "$@" >"$part" || return 1 ;;
        *)
            { tar $tar_options -cf - "$@" || : >"$work/failed"; } | gzip -c >"$part" || return 1
            [ ! -e "$work/failed" ] || return 1
            ;;
    esac
    set +C
    name_part
}

# An empty folder is in no manifest: it was made for files that could not be copied.
leave_no_empty_folder() {
    ! has find || find root again commands -depth -type d -exec rmdir {} + 2>/dev/null
}

# Under its name only where that is still free.
name_part() {
    if [ "$part" = "$output" ]; then
        return
    elif ln "$part" "$output" 2>/dev/null; then
        rm -f "$part"
    elif [ -e "$output" ]; then
        return 1
    elif has mv; then
        mv "$part" "$output"
    else
        cp "$part" "$output" && rm -f "$part"
    fi
}

# The name of who collects is no evidence.
choose_tar_options() {
    for tar_options in '--owner=0 --group=0 --numeric-owner' '--numeric-owner' ''; do
        ! tar $tar_options -cf /dev/null manifest.json 2>/dev/null || return 0
    done
}

summarise() {
    number=0
    while read -r pid why; do
        number=$((number + 1))
        if [ "$number" -eq 1 ]; then
            say 'Selected:'
        fi
        [ "$number" -gt 20 ] || say "  $pid: $why" | tr -c '\n\040-\176' '?'
    done <"$work/selected"
    [ "$number" -le 20 ] || say "  and $((number - 20)) more"
    [ "$number" -gt 0 ] || say 'Selected no process, only the host.'
    grep -v "^ok$separator" "$work/entries" >"$work/missed"
    summarise_missed refused
    summarise_missed timed-out
    summarise_missed gone
    summarise_missed cut
    summarise_missed not-run
    [ -z "$stopped" ] || say 'Interrupted: what was not read by then is recorded as not run.'
    say "$output"
}

summarise_missed() {
    number=0
    example=''
    while IFS=$separator read -r outcome _ path _ why; do
        [ "$outcome" = "$1" ] || continue
        number=$((number + 1))
        [ -n "$example" ] || example="$path: $why"
    done <"$work/missed"
    while IFS=$separator read -r _ path outcome _ why; do
        [ "$outcome" = "$1" ] || continue
        number=$((number + 1))
        [ -n "$example" ] || example="$path: $why"
    done <"$work/commands"
    case $number in
        0) ;;
        1) say "$1: $example" ;;
        *) say "$1, $number times; first $example" ;;
    esac
}
