/**
 * Loaded into a service's runtime: a writer that commits now and then, but acknowledges immediately. The product is
 * unchanged: `node:sqlite` itself is patched.
 */
const COMMIT_MS = 500;
const source = `
  import { DatabaseSync } from 'node:sqlite';
  const { prepare, close } = DatabaseSync.prototype;
  const writers = new WeakSet();
  const late = new Set();
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    const run = statement.run.bind(statement);
    const commit = () => { if (late.delete(this)) run(); };
    if (sql === 'begin immediate') {
      writers.add(this);
      statement.run = () => late.has(this) || run();
    }
    if (sql === 'commit') {
      statement.run = () => {
        if (!writers.has(this)) return run();
        if (late.has(this)) return;
        late.add(this);
        setTimeout(commit, ${COMMIT_MS});
      };
    }
    return statement;
  };
  DatabaseSync.prototype.close = function () {
    if (late.delete(this)) this.exec('commit');
    close.call(this);
  };
`;

export const ANSWERS_BEFORE_COMMIT = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
