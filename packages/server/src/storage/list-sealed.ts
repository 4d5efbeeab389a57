import { SEALED_PLACES, type SealedPlace } from './port.ts';

/** The same statement on both databases. */
export const LIST_SEALED = (Object.keys(SEALED_PLACES) as SealedPlace[])
  .map((place) => {
    const { table, column } = SEALED_PLACES[place];
    return `select '${place}' as place, ${column} as sealed from ${table} where ${column} <> ''`;
  })
  .join(' union all ');
