# What of the matching files and links is worth keeping, under the names the collectors give that. $path was asked for, $folder is
# its folder.

each_list_once() {
    case ${path##*/} in
        thread_siblings_list) [ ! -e "$root/$folder/core_cpus_list" ] ;;
        core_siblings_list) [ ! -e "$root/$folder/package_cpus_list" ] ;;
    esac
}

of_level_3() {
    level=''
    read -r level <"$root/$folder/level" && [ "$level" = 3 ]
} 2>/dev/null

of_devices() {
    interface=${path#sys/class/net/}
    [ -L "$root/sys/class/net/${interface%%/*}/device" ]
}

wanted_and_their_bridges() {
    [ -n "$wanted" ] || find_wanted
    address=${path#sys/bus/pci/devices/}
    case $wanted in
        *" ${address%%/*} "*) ;;
        *) return 1 ;;
    esac
}

# Display, processing accelerators, network and NVMe, and the addresses on the way to them.
find_wanted() {
    wanted=' '
    for function in "$root"/sys/bus/pci/devices/*; do
        class=''
        read -r class <"$function/class"
        case $class in
            0x03* | 0x12* | 0x02* | 0x0108*) ;;
            *) continue ;;
        esac
        wanted="$wanted${function##*/} "
        above=$(readlink "$function") || continue
        IFS=/
        for part in $above; do
            case $part in
                *:??:??.[0-7]) wanted="$wanted$part " ;;
            esac
        done
        IFS=$blanks$newline
    done 2>/dev/null
}

# Device files of accelerators and RDMA NICs, by the target of a descriptor.
is_accelerator_or_rdma() {
    case $1 in
        /dev/nvidia* | /dev/davinci* | /dev/kfd* | /dev/dri/* | /dev/accel/* | /dev/hl[0-9]* | /dev/infiniband/*) ;;
        *) return 1 ;;
    esac
}

is_drm_client() {
    case $1 in
        /dev/dri/* | /dev/accel/*) ;;
        *) return 1 ;;
    esac
}

# One accelerator, as against a control device that all users of the driver open.
is_accelerator() {
    number=''
    case $1 in
        /dev/kfd) return 0 ;;
        /dev/nvidia*) number=${1#/dev/nvidia} ;;
        /dev/davinci*) number=${1#/dev/davinci} ;;
        /dev/dri/renderD*) number=${1#/dev/dri/renderD} ;;
        /dev/dri/card*) number=${1#/dev/dri/card} ;;
        /dev/accel/accel*) number=${1#/dev/accel/accel} ;;
        /dev/hl*) number=${1#/dev/hl} ;;
    esac
    case $number in
        '' | *[!0-9]*) return 1 ;;
    esac
}

# The units of the cgroups of the selected processes, outer ones first, once each.
units_of_processes() {
    units=$newline
    while read -r pid _; do
        [ -f "$bundle/root/proc/$pid/cgroup" ] || continue
        while IFS=: read -r _ controllers path; do
            case $controllers in
                '' | name=systemd) find_units "${path#/}" ;;
            esac
        done <"$bundle/root/proc/$pid/cgroup"
    done <"$work/selected"
    printf '%s' "${units#"$newline"}"
}

# Slices, and the first service or scope below them: what is below that belongs to it.
find_units() {
    below=$1/
    while [ -n "$below" ]; do
        part=${below%%/*}
        below=${below#*/}
        case $part in
            -* | *[!0-9A-Za-z:_.@\\-]*) return ;;
            ?*.slice) ;;
            ?*.service | ?*.scope) below='' ;;
            *) return ;;
        esac
        case $units in
            *"$newline$part$newline"*) ;;
            *) [ "${#part}" -gt 249 ] || units=$units$part$newline ;;
        esac
    done
}
