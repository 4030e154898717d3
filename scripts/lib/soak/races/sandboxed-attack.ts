/**
 * The same attack as a command of the shell: in the sandbox it cannot harm anything outside by itself, so it need not
 * be careful. Perl, because Debian always has it and a shell would start a process for each rename.
 */
export const sandboxedAttack = (outside: string): string => `exec perl -e '
my ($out, $n, $swaps) = ("${outside}", 0, 0);
$SIG{ALRM} = sub { print "swaps $swaps\\n"; exit 0 };
alarm($ARGV[0]);
mkdir(".begun");
sub hunt {
  opendir(my $all, ".") or return;
  for my $name (grep { /^\\.epistle-/ } readdir($all)) {
    $n++;
    $swaps++ if rename($name, ".junk-$n") && symlink($out, $name);
  }
}
sub swap {
  my ($path, $target) = @_;
  my $away = ".junk-" . $n++;
  rename($path, $away) or return;
  $swaps++ if symlink($target, $path);
  hunt();
  unlink($path);
  rename($away, $path);
}
while (1) {
  hunt();
  swap("dir", $out);
  swap("dir/sub", "$out/sub");
  swap("dir/a.txt", "$out/a.txt");
  swap("a.txt", "../../../outside/a.txt");
  swap("other", "../../../outside");
  system("rm -rf .junk-*") if $n % 500 < 5;
}
' `;
