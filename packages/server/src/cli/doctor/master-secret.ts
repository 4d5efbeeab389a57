import type { Config } from '../../config.ts';
import { SECRET_FACT, secretProblem } from '../../domain/check-secret.ts';
import { createKeyring } from '../../domain/keyring.ts';
import { countSealed } from '../../domain/rotate-master-secret.ts';
import type { Storage } from '../../storage/port.ts';
import { splitWayOut } from '../split-way-out.ts';
import { showTime } from '../time.ts';
import { type Check, failed, warned } from './check.ts';

/** Whether the secret is the database's and, during a rotation, how far that is. */
export async function checkMasterSecret(storage: Storage, config: Config): Promise<Check[]> {
  const check = await storage.facts.get(SECRET_FACT);
  if (check === undefined) return [];
  const keyring = createKeyring(config.secret, config.secretPrevious);
  const state = keyring.master.adopt(check);
  const problem = secretProblem(state, keyring.master);
  if (problem !== undefined) {
    const { message, wayOut = '' } = splitWayOut(problem);
    return [failed('secret', message, wayOut)];
  }
  if (!state || keyring.master.previousId === undefined) return [];
  const previous = config.secretFile === undefined ? 'INNKEEPER_SECRET_PREVIOUS' : `${config.secretFile}.previous`;
  const { current, left, total } = await countSealed(storage, keyring);
  const progress = `${current} of ${total} sealed records under the new secret`;
  if (state.under === 'previous' || !state.isResealed || left > 0) {
    const when = config.secretFile === undefined ? 'When every replica has both secrets, run' : 'Run';
    return [
      warned('secret', `rotation in progress: ${progress}; ${previous} is needed`, `${when}: innkeeper secret rotate`),
    ];
  }
  const links =
    state.rotatedAt === undefined
      ? ''
      : ` Preference links from before ${showTime(state.rotatedAt)} UTC stop working then.`;
  return [
    warned(
      'secret',
      `rotated: ${progress}`,
      `${previous} can be removed when every replica has the new secret.${links}`,
    ),
  ];
}
