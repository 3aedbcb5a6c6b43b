# Which processes are collected, and why. $work/selected gets a line "PID why" for each.

choose_processes() {
    : >"$work/selected"
    : >"$work/seen"
    [ -z "$host_only" ] || return 0
    for pid in $pids; do
        [ ! -d "$root/proc/$pid" ] || say "$pid named by --pid" >>"$work/selected"
    done
    if [ -n "$pids" ] && [ -z "$match$gpu_procs$all_processes" ]; then
        [ -s "$work/selected" ] || no_process "no such process:$pids" 'ps -e lists them; or choose by --match or --gpu-procs'
        return
    fi
    for process in "$root"/proc/[0-9]*; do
        say "${process##*/}"
    done >"$work/items"
    each look 2 miss_look
    say choose >"$work/items"
    each choose_seen 30 miss_look
    [ -s "$work/selected" ] || [ -n "$stopped" ] || nothing_selected
}

# look PID: a line "PID PPID matches has-memory cgroup|devices" in $work/seen.
look() {
    cd "$root/proc/$1" || return 0
    text=''
    while IFS= read -r line; do
        text="$text $line"
    done <stat
    text=${text##*) }
    text=${text#* }
    parent=${text%% *}
    is_number "$parent" || return 0
    size=0
    read -r size _ <statm
    has_memory=yes
    [ "$size" != 0 ] || has_memory=no
    find_devices
    group=''
    while IFS= read -r line; do
        group="$group $line"
    done <cgroup
    say "$1 $parent $(matches) $has_memory ${group:+$group }|${devices# }" >>"$work/seen"
    cd /
}

miss_look() {
    :
}

is_number() {
    case $1 in
        '' | *[!0-9]*) return 1 ;;
    esac
}

matches() {
    if [ -n "$match" ] && [ "$has_memory" = yes ]; then
        title=$(tr '\000\n' '  ' <cmdline)
        title=${title%"${title##*[! ]}"}
        comm=''
        read -r comm <comm
        if printf '%s\n%s\n' "$title" "$comm" | grep -Eq -e "$match"; then
            say yes
            return
        fi
    fi
    say no
}

find_devices() {
    devices=''
    if [ -d fd ] && [ ! -r fd ]; then
        devices=' hidden'
        return
    fi
    for link in fd/*; do
        is_device "$link" || continue
        target=$(readlink "$link") || continue
        is_accelerator "$target" || continue
        case "$devices " in
            *" $target, "* | *" $target "*) ;;
            *) devices=${devices:+$devices,}" $target" ;;
        esac
    done
}

choose_seen() {
    matching=' '
    while read -r pid _ is_match _; do
        [ "$is_match" = no ] || matching="$matching$pid "
    done <"$work/seen"
    groups=$newline
    find_ours
    [ -z "$match" ] || choose_family
    while IFS= read -r line; do
        choose_one "$line"
    done <"$work/seen"
}

# parent_of PID: sets parent, to 0 where nothing is known. A table of all processes would be slow to look up in a shell.
parent_of() {
    parent=0
    text=''
    [ -e "$root/proc/$1/stat" ] || return 0
    while IFS= read -r part; do
        text="$text $part"
    done <"$root/proc/$1/stat"
    text=${text##*) }
    text=${text#* }
    ! is_number "${text%% *}" || parent=${text%% *}
}

# This shell and its ancestors: a regular expression typed into a shell matches that shell. What it started is left out as well.
find_ours() {
    ours=' '
    parent=$$
    while [ "$parent" -gt 0 ]; do
        case $ours in
            *" $parent "*) return ;;
        esac
        ours="$ours$parent "
        parent_of "$parent"
    done
}

is_ours() {
    [ "$root" = '' ] || return 1
    case $ours in
        *" $1 "*) return 0 ;;
    esac
    descends_from "$1" " $$ "
}

# descends_from PID LIST: sets parent to the ancestor that is in the list.
descends_from() {
    parent=$1
    hops=0
    while [ "$parent" -gt 0 ] && [ "$hops" -lt 1000 ]; do
        parent_of "$parent"
        hops=$((hops + 1))
        case $2 in
            *" $parent "*) return 0 ;;
        esac
    done
    return 1
}

choose_family() {
    while read -r pid _ _ _ group; do
        case $matching in
            *" $pid "*) is_ours "$pid" && continue ;;
            *) { is_ours "$pid" || ! descends_from "$pid" "$matching"; } && continue ;;
        esac
        group=${group%%|*}
        case $groups$group in
            *"$newline$group>"*) ;;
            *:/[!\ ]*) groups="$groups$group>$pid$newline" ;;
        esac
    done <"$work/seen"
}

choose_one() {
    devices=${1#*|}
    # shellcheck disable=SC2086
    split ${1%%|*}
    group=${1#"$pid $parent $is_match $has_memory "}
    group=${group%%|*}
    if is_selected || is_ours "$pid"; then
        return
    fi
    why=''
    case $matching in
        *" $pid "*) why="matches $match" ;;
        *)
            if [ -n "$match" ] && descends_from "$pid" "$matching"; then
                why="descends from $parent"
            elif holds_device; then
                why_device
            fi
            ;;
    esac
    if [ -z "$why" ] && [ -n "$all_processes" ] && [ "$has_memory" = yes ]; then
        why='has memory, as asked for by --all'
    fi
    [ -z "$why" ] || say "$pid $why" >>"$work/selected"
}

split() {
    pid=$1
    parent=$2
    is_match=$3
    has_memory=$4
}

is_selected() {
    case " $pids " in
        *" $pid "*) return 0 ;;
    esac
    return 1
}

holds_device() {
    [ -n "$devices" ] && [ "$devices" != hidden ]
}

why_device() {
    if [ -n "$gpu_procs" ] || [ -z "$match$pids$all_processes" ]; then
        why="holds $devices"
        return
    fi
    case $groups in
        *"$newline$group>"*)
            why=${groups#*"$newline$group>"}
            why="holds $devices in the cgroup of ${why%%"$newline"*}"
            ;;
    esac
}

nothing_selected() {
    closest=''
    looked_at=0
    hidden=0
    while IFS= read -r line; do
        looked_at=$((looked_at + 1))
        devices=${line#*|}
        [ "$devices" != hidden ] || hidden=$((hidden + 1))
        if holds_device && [ "${#closest}" -lt 200 ]; then
            pid=${line%% *}
            comm=''
            read -r comm <"$root/proc/$pid/comm"
            closest="${closest:+$closest, }--pid $pid ($comm)"
        fi
    done <"$work/seen"
    if [ -n "$closest" ]; then
        hint="closest: $closest"
    else
        hint="none of $looked_at processes holds an accelerator device"
    fi
    [ "$hidden" -eq 0 ] || hint="$hint ($hidden can only be looked into as root)"
    nothing='no process holds an accelerator device'
    [ -z "$match" ] || nothing="no process matches $match"
    no_process "$nothing" "$hint; to collect only the host: --host-only"
}

no_process() {
    complain "$1"
    say "    $2" >&2
    exit 4
}
