# What commands print. A line with the shape of a secret or of somebody's name is replaced as a whole: lines stay lines.

filter_text() {
    {
        cat
        printf '\nnumaaudit: end\n'
    } | tr -d '\000' | grep -Einv "$secret_shapes" | grep -Ev "$secret_names" | keep_lines
}

# Lines with their numbers. What is missing was a secret's; an end of our own tells how the text ended.
keep_lines() {
    expected=1
    gone=0
    columns=''
    in_key=''
    in_table=''
    held=''
    is_held=''
    while IFS= read -r line; do
        number=${line%%:*}
        line=${line#*:}
        while [ "$expected" -lt "$number" ]; do
            next_line "$mark"
            gone=$((gone + 1))
            expected=$((expected + 1))
        done
        expected=$((expected + 1))
        next_line "$line"
    done
    count 'line of text' "$gone"
}

# The end is a line of our own, and the one before it is empty where the text ended with a newline.
next_line() {
    if [ "$1" = 'numaaudit: end' ]; then
        printf '%s' "$held"
        return
    fi
    [ -z "$is_held" ] || say "$held"
    is_held=yes
    keep_line "$1"
}

# Sets held to what is kept of a line that by itself is harmless: it may be a part of a private key or of a table of processes.
keep_line() {
    held=$1
    case $1 in
        *'BEGIN '*'PRIVATE KEY'*) in_key=yes ;;
        *process_name*,* | *,*process_name*) columns=$1 ;;
        *PID*COMMAND* | *PID*CMD* | *PID*ARGS*) in_table=yes ;;
        *,*) [ -z "$columns" ] || keep_csv_row "$1" ;;
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
keep_csv_row() {
    start=''
    row=$1
    header=$columns
    while :; do
        column=${header%%,*}
        case $column in
            *process_name*) break ;;
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
