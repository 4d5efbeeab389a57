import type { NamedKey } from '../../../api/catalog-names.ts';
import type { Sample } from './facts.ts';

type Offered = Pick<NamedKey, 'keyUid' | 'groupUid' | 'groupName' | 'name' | 'values' | 'multiple'>;

/** Yes if the key offers it, otherwise its second value: the first is often the default, so saving it shows nothing. */
export function sampleOf({ keyUid, groupUid, groupName, name, values, multiple }: Offered): Sample | undefined {
  const offered = values.filter(({ retired }) => !retired);
  const value = (offered.find((each) => each.value === true) ?? offered[1] ?? offered[0])?.value;
  return value === undefined || multiple ? undefined : { groupUid, groupName, keyUid, keyName: name, value: [value] };
}
