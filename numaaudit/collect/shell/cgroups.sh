# The cgroup directories of the selected processes, from each one's own up to the root of each hierarchy, v1 and v2 (cgroups(7)).

list_cgroups() {
    points=$newline
    find_points
    listed=$newline
    while read -r pid _; do
        [ -f "$bundle/root/proc/$pid/cgroup" ] || continue
        while IFS=: read -r _ controllers path; do
            list_controllers
        done <"$bundle/root/proc/$pid/cgroup"
    done <"$work/selected"
}

# Lines "CONTROLLER>MOUNT POINT", the first of each; the hierarchy of v2 has an empty name. /proc/mounts writes a blank in octal.
find_points() {
    while read -r _ point kind mount_options _; do
        while :; do
            case $point in
                *'\040'*) point="${point%%'\040'*} ${point#*'\040'}" ;;
                *) break ;;
            esac
        done
        case $kind in
            cgroup2) add_point '' ;;
            cgroup)
                IFS=,
                for controller in $mount_options; do
                    add_point "$controller"
                done
                IFS=$blanks$newline
                ;;
        esac
    done <"$root/proc/mounts"
}

add_point() {
    case $points in
        *"$newline$1>"*) ;;
        *) points=$points$1'>'${point#/}$newline ;;
    esac
}

list_controllers() {
    if [ -z "$controllers" ]; then
        list_chain ''
        return
    fi
    IFS=,
    for controller in $controllers; do
        case $controller in
            cpuset | memory | cpu) list_chain "$controller" ;;
        esac
    done
    IFS=$blanks$newline
}

# In a container a mount may show only a part of its hierarchy: then leading parts of the path that are not there are left out.
list_chain() {
    case $points in
        *"$newline$1>"*) ;;
        *) return ;;
    esac
    point=${points#*"$newline$1>"}
    point=${point%%"$newline"*}
    below=${path% (deleted)}
    below=${below#/}
    while [ -n "$below" ] && [ ! -d "$root/$point/$below" ]; do
        case $below in
            */*) below=${below#*/} ;;
            *) below='' ;;
        esac
    done
    while [ -n "$below" ]; do
        list_once "$point/$below"
        case $below in
            */*) below=${below%/*} ;;
            *) below='' ;;
        esac
    done
    list_once "$point"
}

list_once() {
    case $listed in
        *"$newline$1$newline"*) return ;;
    esac
    listed=$listed$1$newline
    say "$1"
}

# One directory of a cgroup hierarchy: which files it has is up to the kernel and its parent.
read_cgroup() {
    choose=every
    folder=$1
    pattern='*'
    if is_plain "$1" && follow "$1"; then
        keep_cgroup_files
        copy_list "$root/" "$bundle/root" miss_file
    fi
}

miss_cgroup() {
    drop_empty
    record "$1" cgroup_limits "root/$2" '' "$3"
}
