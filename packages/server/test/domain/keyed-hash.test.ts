import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyedHash } from '../../src/domain/keyring.ts';
import { anyCharacter } from './any-character.ts';

test('is HMAC-SHA-256 of any text', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ minLength: 300, maxLength: 3000, unit: anyCharacter }),
  );
  fc.assert(
    fc.property(key, fc.array(text, { maxLength: 4 }), (bytes, texts) => {
      const hashText = keyedHash(bytes);
      for (const each of texts) {
        expect(hashText(each)).toBe(createHmac('sha256', bytes).update(each).digest('hex'));
      }
    }),
  );
});
