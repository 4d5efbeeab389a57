/**
 * For the runtime that a service is started with: events are written a moment after the act, as services do that send them when they have
 * committed. The product knows nothing of it: `node:sqlite` itself is changed under it.
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
