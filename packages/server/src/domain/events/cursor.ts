import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';

/** Length of the truncated hash: nobody can try 2^64 of them against a service. */
const MAC_CHARACTERS = 16;

/** A position for clients, signed for the application so that it reveals nothing about another's events. */
export function writeCursor(keyring: Keyring, application: Pick<Application, 'appId'>, no: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(no));
  return Buffer.concat([bytes, Buffer.from(macOf(keyring, application, no), 'hex')]).toString('base64url');
}

/** Throws cursorInvalid with the reason. `name` is the parameter or header it came in. */
export function readCursor(
  keyring: Keyring,
  application: Pick<Application, 'appId'>,
  text: string,
  name: string,
): number {
  if (!/^[\w-]{22}$/.test(text)) throw invalid(`${name} is not a cursor.`);
  const no = Number(Buffer.from(text, 'base64url').readBigUInt64BE());
  if (!Number.isSafeInteger(no) || writeCursor(keyring, application, no) !== text) {
    throw invalid(`${name} is a cursor of another application or service.`);
  }
  return no;
}

function macOf(keyring: Keyring, { appId }: Pick<Application, 'appId'>, no: number): string {
  return keyring.hashCursor(`${appId} ${no}`).slice(0, MAC_CHARACTERS);
}

function invalid(message: string): InnkeeperError {
  return new InnkeeperError('cursorInvalid', { message });
}
