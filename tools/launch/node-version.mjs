// Evaluated before anything newer than Node 14 is parsed, so that an old Node gives this message and no syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`This project needs Node 20.19 or newer; this is Node ${process.versions.node} (${process.execPath}).`);
  process.exit(1);
}
