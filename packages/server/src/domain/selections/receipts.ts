import type { SelectionOrigin, SelectionRecord, UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Language, Scalar } from '../catalog/catalog.ts';
import { findAllowed, parseValue } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import type { Service } from '../service.ts';
import { walkSelections } from '../users/export-users.ts';
import { isOpenText, type OpenText, textsOf } from './open-texts.ts';

/** What a receipt states about one save: everything as of that time, not as in the current catalog. */
export type Receipt = {
  user: UserRecord;
  placed: PlacedKey;
  record: SelectionRecord;
  authMethod: SelectionOrigin['authMethod'];
  value: Scalar | Scalar[];
  /** The language that the texts were shown in. */
  language: Language | undefined;
  /** Whether the request named it; else it is the default language of that time. */
  isLanguageKnown: boolean;
  texts: {
    group: string;
    groupDescription: string | null;
    key: string;
    keyDescription: string | null;
    /** For each selected value. */
    values: string | string[];
  };
};

type Source = Pick<Service, 'storage' | 'catalogs'>;

/** The receipt for a user's selection in its current state. */
export async function findReceipt(
  service: Source,
  user: UserRecord,
  selectionId: string,
): Promise<Receipt | undefined> {
  for await (const record of walkSelections(service, user.userId)) {
    if (record.selectionId === selectionId) return readReceipt(service, user, record);
  }
  return undefined;
}

export async function readReceipt(
  { catalogs }: Pick<Source, 'catalogs'>,
  user: UserRecord,
  record: SelectionRecord & SelectionOrigin,
): Promise<Receipt> {
  const catalog = await catalogs.getAt(user.appId, record.revision);
  const placed = catalog?.keyByNo.get(record.keyNo);
  if (!catalog || !placed) throw new Error(`revision ${record.revision} does not have key ${record.keyNo}`);
  return describe(user, catalog, placed, record);
}

function describe(
  user: UserRecord,
  { languages }: CompiledCatalog,
  placed: PlacedKey,
  record: SelectionRecord & SelectionOrigin,
): Receipt {
  const { key, group } = placed;
  const known = languages.find(record.shownIn ?? '');
  const language = known ?? languages.byDefault;
  const stored = parseValue(record.value);
  const value = isOpenText(key)
    ? languages.textFor<OpenText>(textsOf(record), language, stored as OpenText).text
    : stored;
  const labelOf = (one: Scalar): string => {
    const allowed = findAllowed(key.values, one);
    return allowed ? languages.textFor(allowed.texts, language, String(one)).text : String(one);
  };
  const described = (texts: Record<string, string>) => languages.textFor<string | null>(texts, language, null).text;
  return {
    user,
    placed,
    record,
    authMethod: record.authMethod,
    value,
    language,
    isLanguageKnown: known !== undefined,
    texts: {
      group: languages.textFor(group.texts, language, group.name).text,
      groupDescription: described(group.descriptions),
      key: languages.textFor(key.texts, language, key.name).text,
      keyDescription: described(key.descriptions),
      values: Array.isArray(value) ? value.map(labelOf) : labelOf(value),
    },
  };
}

/** Signed with the algorithm of the application's tokens; `claims` use wire names. */
export function signReceipt(
  service: Pick<Service, 'publicUrl' | 'now' | 'signReceipt'>,
  { clientId, settings }: Pick<Application, 'clientId' | 'settings'>,
  userId: string,
  claims: Record<string, unknown>,
): Promise<string> {
  return service.signReceipt(settings.tokenAlgorithm, {
    iss: service.publicUrl,
    sub: userId,
    aud: clientId,
    iat: Math.floor(service.now() / 1000),
    ...claims,
  });
}
