# Runs the steps of a build one after another, times each, and remembers which ones failed.
# A failing step does not stop the later ones, so that one run shows everything that is broken;
# finish_steps then fails. Sourced by .ci/run; tests/packaging/test_ci.py checks the behaviour.

step_names=()
step_seconds=()
step_results=()

# step NAME COMMAND [ARGUMENT...]
step() {
    local name=$1 start=$SECONDS code=0
    shift
    printf '\n===== %s\n' "$name"
    # A subshell outside any condition: there errexit still holds, so a step that is a function fails
    # at its first failing command and not only at its last. No step can leave the folder changed.
    set +e
    (
        set -euo pipefail
        "$@"
    )
    code=$?
    set -e
    step_names+=("$name")
    step_seconds+=("$((SECONDS - start))")
    if ((code == 0)); then
        step_results+=("ok")
    else
        step_results+=("FAILED, exit $code")
    fi
    printf '===== %s: %s after %s s\n' "$name" "${step_results[-1]}" "${step_seconds[-1]}"
}

# Prints the table of steps; returns 1 when any failed, or when there was none.
finish_steps() {
    local index failed=0
    printf '\n%8s  %-34s %s\n' seconds step result
    for index in "${!step_names[@]}"; do
        printf '%8s  %-34s %s\n' \
            "${step_seconds[index]}" "${step_names[index]}" "${step_results[index]}"
        [[ ${step_results[index]} == ok ]] || failed=$((failed + 1))
    done
    printf '%8s  %s\n' "$SECONDS" "all"
    if ((${#step_names[@]} == 0)); then
        printf 'no step ran\n'
        return 1
    fi
    if ((failed > 0)); then
        printf '%s of %s steps failed\n' "$failed" "${#step_names[@]}"
        return 1
    fi
    printf 'all %s steps passed\n' "${#step_names[@]}"
}
