#!/bin/sh
# Execs that fail leave nothing behind: kvis proc stays as large as it was.
# tier: gate
# timeout: 120
# needs: root perl
. "$TESTS/lib/lib.sh"
cat >execs.pl <<'END'
sub resident { # of kvis, whose child this is, in KB
    open my $f, "<", "/proc/" . getppid() . "/status" or die;
    my ($kb) = map { /^VmRSS:\s+(\d+)/ } <$f>;
    return $kb;
}
sub execs {
    no warnings;
    exec { "/nonexistent/program" } "program", $_ for 1 .. $_[0];
    select undef, undef, undef, 0.5; # kvis has read them
}
execs(5000);
my $before = resident();
execs(150000);
print "grown ", resident() - $before, "\n";
END
run proc --failed --env=HOME --format=json -o json -- perl execs.pl
[ "$st" = 0 ] || fail "exit status $st"
grown=$(sed -n 's/^grown //p' out)
say "grown by $grown KB"
[ "$grown" -lt 1500 ] || fail "kvis has grown by $grown KB over 150000 failing execs"
