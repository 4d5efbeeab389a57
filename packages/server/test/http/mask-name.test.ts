import { expect, test } from 'vitest';
import { maskName } from '../../src/monitoring/logging.ts';

test.each(['language', 'option_group_uid', 'weekly_newsletter_2024_edition', 'x-y', 'clientUserName'])(
  '%s is a name',
  (name) => expect(maskName(name)).toBe(name),
);

test.each([
  ['86GZDjVtpHeJgUyjmOsEfz3vTaraPl2g', 'a key of some service'],
  ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'of an authenticator app'],
  ['5f4dcc3b5aa765d61d8327deb882cf99', 'a hash'],
  [`ink_${'a'.repeat(43)}`, 'a client secret'],
  ['correct horse battery staple', 'a sentence'],
  ['', 'nothing'],
])('%s is not: %s', (name) => expect(maskName(name)).toBe('[masked]'));
