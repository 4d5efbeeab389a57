import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export const ROLES = ['viewer', 'translator', 'support', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** With the meaning of the role below it, unless there is no room for a label either. */
export function RoleSelect(props: {
  value: Role;
  onChange(role: Role): void;
  label: string;
  compact?: boolean;
  disabled?: boolean;
}) {
  const { value, onChange, label, compact = false, disabled = false } = props;
  const { t } = useTranslation('members');
  return (
    <Select
      {...(compact ? { 'aria-label': label, w: 150 } : { label, description: t(`roleMeans.${value}`) })}
      allowDeselect={false}
      disabled={disabled}
      data={ROLES.map((role) => ({ value: role, label: t(`role.${role}`) }))}
      value={value}
      onChange={(role) => role !== null && role !== value && onChange(role)}
    />
  );
}
