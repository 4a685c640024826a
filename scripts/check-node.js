// Runs on any Node: says in one sentence what is missing before a script fails with a riddle.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Vitrine runs on Node 22.18 or newer, and this is ${process.version}: install a newer Node, or let npm ci bring one (it does on Linux and Windows, unless optional packages are left out).\n`,
  );
  process.exit(1);
}
