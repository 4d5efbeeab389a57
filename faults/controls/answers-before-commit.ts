/**
 * For the runtime that a service is started with: a writer that commits now and then, and says at once that it has. The product
 * knows nothing of it: `node:sqlite` itself is changed under it.
 */
const COMMIT_MS = 500;
const source = `
  import { DatabaseSync } from 'node:sqlite';
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql === 'begin immediate') return { run: () => this.isTransaction || statement.run() };
    if (sql !== 'commit') return statement;
    let soon;
    const commit = () => { soon = undefined; if (this.isTransaction) statement.run(); };
    return { run: () => { soon ??= setTimeout(commit, ${COMMIT_MS}); } };
  };
`;

export const ANSWERS_BEFORE_COMMIT = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
