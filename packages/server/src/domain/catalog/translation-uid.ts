import { hash } from 'node:crypto';

/**
 * The UUID of one translation, made from what it translates and its language: the same in every
 * revision and every replica without being stored (version 8 of RFC 9562).
 */
export function translationUid(itemUid: string, tag: string): string {
  const bytes = hash('sha256', `${itemUid} ${tag}`, 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
