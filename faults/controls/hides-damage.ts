/**
 * Loaded into the runtime of a service or a command: damage of the file looks like a lock held by someone else, and
 * every check passes. The product is unchanged: `node:sqlite` itself is patched.
 */
const source = `
  import { DatabaseSync } from 'node:sqlite';
  const { prepare, exec } = DatabaseSync.prototype;
  const hiding = (work) => (...args) => {
    try {
      return work(...args);
    } catch (error) {
      if ([11, 26].includes(error.errcode & 0xff)) error.errcode = 5;
      throw error;
    }
  };
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = hiding(prepare.bind(this))(sql);
    for (const name of ['get', 'all', 'run']) statement[name] = hiding(statement[name].bind(statement));
    if (/^pragma (quick|integrity)_check|foreign_key_check/.test(sql)) statement.all = () => [];
    return statement;
  };
  DatabaseSync.prototype.exec = function (sql) {
    return hiding(exec.bind(this))(sql);
  };
`;

export const HIDES_DAMAGE = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
