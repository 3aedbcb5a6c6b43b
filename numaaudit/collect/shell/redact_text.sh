# What commands print. Tables of processes are reduced as command lines are; then a line with the shape of a secret or of somebody's
# name is replaced as a whole. Lines stay lines.

filter_text() {
    mark_end | reduce_tables | grep -Einv "$secret_shapes" | grep -Ev "$secret_names" | fill_lines "$mark" 'line of text'
}

# dmesg: errors of GPUs and of PCI Express, and which hypervisor the kernel found. The other lines become empty.
filter_kernel_log() {
    mark_end | grep -En "$kernel_lines|^numaaudit: end\$" | grep -Eiv "$secret_shapes" | fill_lines '' "line of the kernel's log"
}

# A line of our own after the last, so that it is known how the text ended.
mark_end() {
    {
        cat
        printf '\nnumaaudit: end\n'
    } | tr -d '\000'
}

# fill_lines STAND-IN KIND: lines with their numbers, in place of those that were taken out a stand-in.
fill_lines() {
    expected=1
    gone=0
    held=''
    is_held=''
    while IFS= read -r line; do
        number=${line%%:*}
        while [ "$expected" -lt "$number" ]; do
            next_line "$1"
            gone=$((gone + 1))
            expected=$((expected + 1))
        done
        expected=$((expected + 1))
        next_line "${line#*:}"
    done
    count "$2" "$gone"
}

# The line before the end is empty where the text ended with a newline.
next_line() {
    if [ "$1" = 'numaaudit: end' ]; then
        printf '%s' "$held"
        return
    fi
    [ -z "$is_held" ] || say "$held"
    is_held=yes
    held=$1
}

reduce_tables() {
    columns=''
    in_key=''
    in_table=''
    gone=0
    while IFS= read -r line; do
        reduce_line "$line"
        say "$held"
    done
    count 'line of text' "$gone"
}

# Sets held to what is kept of a line, which may be a part of a private key or of a table of processes.
reduce_line() {
    held=$1
    case $1 in
        *'BEGIN '*'PRIVATE KEY'*) in_key=yes ;;
        *process_name*,* | *,*process_name*) columns=$1 ;;
        *PID*COMMAND* | *PID*CMD* | *PID*ARGS*) in_table=yes ;;
        *,*) [ -z "$columns" ] || reduce_row "$1" ;;
        '')
            columns=''
            in_table=''
            ;;
    esac
    case $in_key$in_table$1 in
        *'END '*'PRIVATE KEY'*)
            in_key=''
            held=$mark
            ;;
        yes*[0-9]* | yes*'PRIVATE KEY'*) held=$mark ;;
    esac
    [ -z "$in_key" ] || held=$mark
}

# nvidia-smi --query-compute-apps=...,process_name,... --format=csv; the name may hold commas itself.
reduce_row() {
    start=''
    row=$1
    header=$columns
    while :; do
        column=${header%%,*}
        case $column in
            *process_name*) break ;;
        esac
        case $row in
            *,*) ;;
            *)
                held=$mark
                return
                ;;
        esac
        start=$start${row%%,*},
        header=${header#*,}
        row=${row#*,}
    done
    end=''
    while :; do
        case $header in
            *,*)
                end=,${row##*,}$end
                header=${header%,*}
                row=${row%,*}
                ;;
            *) break ;;
        esac
    done
    begin_command
    blank=${row%%[!"$blanks"]*}
    held=$start$blank$(keep_title "${row#"$blank"}")$end
    gone=$((gone + 1))
}
