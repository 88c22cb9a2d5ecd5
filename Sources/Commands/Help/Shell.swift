/// A shell that completes the words of `huddle`. Its script only passes on the output of `huddle complete`, so all
/// shells offer the same.
package enum Shell: String, CaseIterable, Hashable, Sendable {
    case bash, zsh, fish

    /// The script that the shell reads when it starts.
    package var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    // Bash splits words at = and : and passes them on with their quotes; `huddle` receives them as it would if they
    // were run.
    // Source: bash(1), "Programmable Completion".
    private static let bashScript = #"""
        # Completion of huddle for bash; written by: huddle completions bash
        _huddle() {
            local -a words=()
            local index part word stem quote='' line text open=''
            for ((index = 1; index <= COMP_CWORD; index++)); do
                part=${COMP_WORDS[index]}
                case $part in
                    \"*) part=${part#\"} part=${part%\"} ;;
                    \'*) part=${part#\'} part=${part%\'} ;;
                    *) part=${part//\\/} ;;
                esac
                if ((index > 1)) && [[ ${COMP_WORDS[index]} == [=:]* || ${COMP_WORDS[index - 1]} == *[=:] ]]; then
                    words[${#words[@]} - 1]+=$part
                else
                    words+=("$part")
                fi
            done
            case ${COMP_WORDS[COMP_CWORD]} in
                [\"\']*) quote=1 ;;
                [=:]*) part='' ;;
            esac
            word=${words[${#words[@]} - 1]}
            stem=${word%"$part"}
            COMPREPLY=()
            while IFS= read -r line; do
                text=${line%%$'\t'*}
                if [[ -z $text ]]; then
                    compopt -o filenames 2>/dev/null
                    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$part")
                    return
                fi
                text=${text#"$stem"}
                [[ $text == *[=,] ]] && open=1
                [[ -n $quote ]] || printf -v text %q "$text"
                COMPREPLY+=("$text")
            done < <("${1/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
            [[ -z $open ]] || compopt -o nospace 2>/dev/null
        }
        complete -F _huddle huddle

        """#

    // Source: zshcompsys(1), zshcompwid(1).
    private static let zshScript = #"""
        #compdef huddle
        # Completion of huddle for zsh; written by: huddle completions zsh
        _huddle() {
            local -a texts shown openTexts openShown
            local line text
            # A quote that is still open is no part of the word.
            local current="${${(Q)words[CURRENT]}#[\"\']}"
            for line in "${(@f)$("${(Q)words[1]}" complete -- "${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}"; do
                [[ -n $line ]] || continue
                text=${line%%$'\t'*}
                if [[ -z $text ]]; then
                    compset -P '*='
                    _files
                    return
                elif [[ $text == *[=,] ]]; then
                    openTexts+=("$text") openShown+=("$text  ${line#*$'\t'}")
                else
                    texts+=("$text") shown+=("$text  ${line#*$'\t'}")
                fi
            done
            (( $#texts )) && compadd -U -l -d shown -a texts
            (( $#openTexts )) && compadd -U -S '' -l -d openShown -a openTexts
        }
        if [[ $funcstack[1] == _huddle ]]; then _huddle "$@"; else compdef _huddle huddle; fi

        """#

    // Source: complete(1), commandline(1) of fish.
    private static let fishScript = #"""
        # Completion of huddle for fish; written by: huddle completions fish
        function __huddle_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l plain (string unescape -- "$current")
            or set plain "$current"
            for line in ($words[1] complete -- $words[2..-1] "$plain" 2>/dev/null)
                if string match -q \t'*' -- $line
                    __fish_complete_path "$current"
                else
                    printf '%s\n' $line
                end
            end
        end
        complete -c huddle -f -a '(__huddle_complete)'

        """#
}
