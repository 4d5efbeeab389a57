/**
 * Loaded into a service's runtime: writes events a moment after the change, like services that send them once they have
 * committed. The product is unchanged: `node:sqlite` itself is patched.
 */
const LATER_MS = 20;
const source = `
  import { DatabaseSync } from 'node:sqlite';
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (!sql.startsWith('insert into events ')) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...values) => {
      setTimeout(() => run(...values), ${LATER_MS});
      return { changes: 0, lastInsertRowid: 0 };
    };
    return statement;
  };
`;

export const EVENTS_AFTER_COMMIT = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
