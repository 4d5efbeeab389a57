// node bin/ephemeral.cjs CACHE_FOLDER
//
// What @innkeeper/testing starts: the built service, with the code that its previous start compiled. Node's own compile
// cache keeps what is compiled while a file loads; this one also keeps the functions compiled when first called, which
// saves a fifth of the start.

const { hash } = require('node:crypto');
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { constants, Script } = require('node:vm');

const CHECKSUM_BYTES = 20;
const folder = join(process.argv[2], 'ephemeral');
const loaded = new Map();
const scripts = new Map();
let isComplete = true;

/** @param {string} file */
function load(file) {
  const before = loaded.get(file);
  if (before) return before.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  // build.js writes ASCII.
  const source = readFileSync(file, 'latin1');
  // The names of the files contain a hash of their content.
  const cachedData = compiledBefore(basename(file));
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!cachedData || script.cachedDataRejected) isComplete = false;
  scripts.set(basename(file), script);
  const folder = dirname(file);
  const requireFrom = (name) => (name.startsWith('.') ? load(join(folder, name)) : require(name));
  script.runInThisContext()(module.exports, requireFrom, module, file, folder);
  return module.exports;
}

/**
 * With its checksum at the end: damaged code would crash the process at every start.
 * @param {string} name
 */
function compiledBefore(name) {
  try {
    const whole = readFileSync(join(folder, name));
    const code = whole.subarray(0, -CHECKSUM_BYTES);
    return checksum(code).equals(whole.subarray(-CHECKSUM_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Buffer} code */
function checksum(code) {
  return hash('sha1', code, 'buffer');
}

process.on('exit', () => {
  if (isComplete) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) if (!scripts.has(name)) rmSync(join(folder, name));
    for (const [name, script] of scripts) {
      const partial = join(folder, `${name}.${process.pid}`);
      const code = script.createCachedData();
      writeFileSync(partial, Buffer.concat([code, checksum(code)]), { mode: 0o600 });
      renameSync(partial, join(folder, name));
    }
  } catch {
    // Another service is doing the same, or this user may not write here: the next start takes longer.
  }
});

const dist = join(__dirname, '../dist');
const entry = readdirSync(dist).find((name) => /^ephemeral-main-.*\.cjs$/.test(name));
load(join(dist, entry));
