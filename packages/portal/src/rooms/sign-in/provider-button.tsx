import { Button } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { PORTAL_PATH } from '../../api/client.ts';

/** Leaves for the OpenID provider, which leads back to a page of the portal. */
export function ProviderButton({ label, next, onLeave }: { label: string; next: string; onLeave?(): void }) {
  const query = next === '' ? '' : `?${new URLSearchParams({ next })}`;
  return (
    <Button
      component="a"
      href={`${PORTAL_PATH}/oidc/sign-in${query}`}
      variant="default"
      fullWidth
      leftSection={<IconLogin2 size={18} aria-hidden />}
      {...(onLeave && { onClick: onLeave })}
    >
      {label}
    </Button>
  );
}
