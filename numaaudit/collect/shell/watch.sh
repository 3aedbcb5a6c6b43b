# Reading what may never answer. Work is done in background shells; every second a ticker wakes up the one that waits for them.
# A process that hangs in the kernel does not even die of SIGKILL, so nobody waits for one that was killed.

tick=0
stopped=''

nap() {
    if [ -n "$sleeps" ]; then
        sleep 1
    else
        before=$(date +%s)
        while [ "$(date +%s)" = "$before" ]; do :; done
    fi
}

start_ticker() {
    sleeps=''
    has sleep && sleeps=yes
    trap 'tick=$((tick + 1))' USR1
    (while nap && kill -USR1 "$$" 2>/dev/null; do :; done) </dev/null >/dev/null 2>&1 &
    ticker=$!
}

is_late() {
    [ -n "$stopped" ] || [ "$tick" -ge "$deadline" ]
}

why_late() {
    if [ -n "$stopped" ]; then
        reason=interrupted
    else
        reason='no time was left'
    fi
}

# each WORK SECONDS MISSED: run WORK for every line of $work/items. One that takes longer loses its shell, "MISSED OUTCOME ITEM
# REASON" records that, and a new shell goes on with the next line.
each() {
    after=0
    while each_round "$1" "$2" "$3"; do :; done
}

# Succeeds if an item hung and there may be more.
each_round() {
    if is_late; then
        why_late
        miss_from "$((after + 1))" "$3"
        return 1
    fi
    printf '%s\n' "$after" >"$work/at"
    each_item "$1" "$after" </dev/null >/dev/null 2>&1 &
    worker=$!
    at=$after
    since=$tick
    while :; do
        wait "$worker" 2>/dev/null
        code=$?
        if [ "$code" -eq 0 ]; then
            return 1
        fi
        now=''
        read -r now <"$work/at"
        now=${now:-$at}
        if [ "$now" != "$at" ]; then
            at=$now
            since=$tick
        fi
        if is_late; then
            kill_tree "$worker"
            why_late
            [ "$at" -gt "$after" ] || at=$((after + 1))
            miss_from "$at" "$3"
            return 1
        elif [ "$code" -le 128 ] || [ "$code" -eq 137 ]; then # else it was the ticker that ended the waiting
            [ "$at" -gt "$after" ] || at=$((after + 1))
            miss_one "$at" "$3" gone 'the reader died'
            after=$at
            return 0
        elif [ $((tick - since)) -ge "$2" ]; then
            kill_tree "$worker"
            miss_one "$at" "$3" timed-out 'no answer'
            after=$at
            return 0
        fi
    done
}

each_item() {
    item_number=0
    while IFS= read -r item <&3; do
        item_number=$((item_number + 1))
        [ "$item_number" -gt "$2" ] || continue
        printf '%s\n' "$item_number" >"$work/at"
        "$1" "$item" || :
    done 3<"$work/items"
    exit 0
}

miss_one() {
    item_number=0
    while IFS= read -r item <&3; do
        item_number=$((item_number + 1))
        [ "$item_number" -ne "$1" ] || "$2" "$3" "$item" "$4"
    done 3<"$work/items"
}

miss_from() {
    item_number=0
    while IFS= read -r item <&3; do
        item_number=$((item_number + 1))
        [ "$item_number" -lt "$1" ] || "$2" not-run "$item" "$reason"
    done 3<"$work/items"
}

# A process and all that descend from it.
kill_tree() {
    kill -STOP "$1" 2>/dev/null
    for child in $(children_of "$1"); do
        kill_tree "$child"
    done
    kill -KILL "$1" 2>/dev/null
}

children_of() {
    for process in /proc/[0-9]*; do
        text=''
        read -r text <"$process/stat" || continue
        text=${text##*) }
        text=${text#* }
        [ "${text%% *}" != "$1" ] || say "${process#/proc/}"
    done 2>/dev/null
}
