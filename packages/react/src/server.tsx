import type { LinkOptions, UsersClient } from '@innkeeper/client/users';
import type { AnchorHTMLAttributes, ReactElement } from 'react';

export type PreferenceLinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> &
  LinkOptions & {
    users: Pick<UsersClient, 'preferenceLink'>;
    /** service_user_code of the user whose options the page shows. */
    userId: string;
  };

/**
 * A link to the user's preference page, which needs no sign-in. For server components: it creates the link with the
 * client secret. Show it to this user only.
 */
export async function PreferenceLink({
  users,
  userId,
  groups,
  language,
  expiresIn,
  unsubscribe,
  ...anchor
}: PreferenceLinkProps): Promise<ReactElement> {
  const { url } = await users.preferenceLink(userId, { groups, language, expiresIn, unsubscribe });
  // The URL is a key: it must not be sent to other sites as referrer.
  return <a rel="noreferrer" {...anchor} href={url} />;
}
