# Completion of muster for fish: muster completion fish | source

# Sets the words of the command, the number of its arguments, the first of them and the directory.
function __muster_parse
    set -g __muster_path ''
    set -g __muster_count 0
    set -g __muster_first ''
    set -g __muster_data muster-data
    set -q MUSTER_DATA; and set -g __muster_data $MUSTER_DATA
    set -l option ''
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        if test -n "$option"
            contains -- $option -d --data; and set -g __muster_data $word
            set option ''
        else if string match -q -- '--data=*' $word
            set -g __muster_data (string replace -- '--data=' '' $word)
        else if string match -q -- '-*' $word
            contains -- $word $__muster_valued; and set option $word
        else
            set -l below (string trim -- "$__muster_path $word")
            if contains -- $below $__muster_paths
                set -g __muster_path $below
            else
                test $__muster_count -eq 0; and set -g __muster_first $word
                set -g __muster_count (math $__muster_count + 1)
            end
        end
    end
    # The shell leaves this to the command line: here it is a word.
    set -g __muster_data (string replace -r -- '^~(?=/|$)' $HOME $__muster_data)
end

# True if the cursor is in this command and, where a number is given, at this argument; with + also behind it.
function __muster_at
    __muster_parse
    test "$__muster_path" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; and return 0
    if string match -q -- '*+' $argv[2]
        test $__muster_count -ge (string replace + '' -- $argv[2])
    else
        test $__muster_count -eq $argv[2]
    end
end

# Names of topics, groups and members: the directory itself tells.
function __muster_names
    __muster_parse
    set -l base $__muster_data/topics
    test $argv[1] != topic; and set base $__muster_data/consumer-groups
    if test $argv[1] = member
        set base $__muster_data/consumer-groups/(string escape --style=url -- $__muster_first | string replace -a / %2F)/members
    end
    for each in $base/*
        set -l name (string replace -r '.*/' '' -- $each | string replace -r '\.json$' '')
        string match -q -- '*~*' $name; or string unescape --style=url -- $name
    end
end

complete -c muster -f
@TABLE@
