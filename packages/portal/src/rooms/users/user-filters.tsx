import { Button, Checkbox, Group, Pill, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CatalogNames, catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import type { Range } from '../../shell/range.ts';
import { TimeRange } from '../../shell/time-range.tsx';
import {
  type Condition,
  type Filters,
  labelOf,
  OPERATORS,
  type Operator,
  readCondition,
  SORTS,
  type Sort,
  writeCondition,
} from './filters.ts';
import classes from './users.module.css';

type Props = { clientId: string; filters: Filters; onChange(filters: Filters): void };

/** Who chose what: conditions that must all hold, each removed with a click. */
export function UserFilters({ clientId, filters, onChange }: Props) {
  const { t, i18n } = useTranslation('users');
  const tree = useQuery(catalogTreeQuery(clientId));
  const names = tree.data && nameCatalog(tree.data, i18n);
  const { where = [], status, effective, sort, search, ...range } = filters;
  const change = (next: {
    range?: Range;
    where?: string[];
    status?: Filters['status'] | null;
    effective?: boolean;
    sort?: Sort | null;
  }) => {
    const {
      where: conditions = where,
      status: chosen = status,
      effective: counted = effective,
      sort: sorted = sort,
    } = next;
    onChange({
      ...(search !== undefined && { search }),
      ...(next.range ?? range),
      ...(chosen && { status: chosen }),
      ...(conditions.length > 0 && { where: conditions }),
      ...(conditions.length > 0 && counted && { effective: true }),
      ...(conditions.length === 0 && sorted && { sort: sorted }),
    });
  };
  return (
    <Group gap="xs" mb="md">
      <Select
        w={160}
        size="xs"
        clearable
        aria-label={t('filter.status')}
        placeholder={t('filter.anyStatus')}
        data={[
          { value: 'active', label: t('filter.active') },
          { value: 'suspended', label: t('status.suspended') },
        ]}
        value={status ?? null}
        onChange={(value) => change({ status: value })}
      />
      <TimeRange
        small={{ label: t('created'), placeholder: t('filter.anyDate') }}
        range={range}
        spans={['day', 'week', 'month']}
        onChange={(chosen) => change({ range: chosen })}
      />
      {where.length === 0 && (
        <Select
          w={160}
          size="xs"
          allowDeselect={false}
          aria-label={t('sort.title')}
          data={[
            // Users in a range of days are found by when they were created.
            ...(Object.keys(range).length > 0 ? [] : [{ value: 'id', label: t('sort.id') }]),
            ...SORTS.map((each) => ({ value: each, label: t(`sort.${each}`) })),
          ]}
          value={sort ?? (Object.keys(range).length > 0 ? 'oldest' : 'id')}
          onChange={(value) => change({ sort: value === 'id' ? null : (value as Sort) })}
        />
      )}
      {names && <AddCondition names={names} onAdd={(added) => change({ where: [...where, added] })} />}
      {where.map((text) => (
        <Pill
          key={text}
          size="md"
          className={classes.condition ?? ''}
          classNames={{ label: classes.conditionText ?? '', remove: classes.conditionRemove ?? '' }}
          withRemoveButton
          removeButtonProps={{ 'aria-label': t('filter.remove'), 'aria-hidden': false, tabIndex: 0 }}
          onRemove={() => change({ where: where.filter((each) => each !== text) })}
        >
          <ConditionText text={text} names={names} />
        </Pill>
      ))}
      {where.length > 0 && (
        <Checkbox
          size="xs"
          label={t('filter.effective')}
          checked={effective === true}
          onChange={(event) => change({ effective: event.currentTarget.checked })}
        />
      )}
    </Group>
  );
}

function ConditionText({ text, names }: { text: string; names: CatalogNames | undefined }) {
  const { t } = useTranslation('users');
  const condition = readCondition(text);
  if (!condition) return text;
  return t(`filter.summary.${condition.operator}`, labelOf(names, condition));
}

function AddCondition({ names, onAdd }: { names: CatalogNames; onAdd(condition: string): void }) {
  const { t } = useTranslation('users');
  const [isOpen, { toggle, close }] = useDisclosure();
  const [{ keyUid, operator, value }, setMade] = useState<Condition>({ keyUid: '', operator: 'is', value: '' });
  const key = names.key(keyUid);
  const asksValue = operator === 'is' || operator === 'isNot';
  const keys = names.groups.flatMap(({ label, keys: ofGroup }) => {
    const items = ofGroup
      .filter(({ archived }) => !archived)
      .map((each) => ({ value: each.keyUid, label: each.label }));
    return items.length > 0 ? [{ group: label, items }] : [];
  });
  const set = (change: Partial<Condition>) => setMade({ keyUid, operator, value, ...change });
  return (
    <Popover opened={isOpen} onChange={close} position="bottom-start" width={300} trapFocus withinPortal>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconFilter size={14} aria-hidden />} onClick={toggle}>
          {t('filter.add')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onAdd(writeCondition({ keyUid, operator, value }));
            setMade({ keyUid: '', operator: 'is', value: '' });
            close();
          }}
        >
          <Stack gap="sm">
            <Select
              label={t('selections.key')}
              searchable
              data={keys}
              value={keyUid || null}
              comboboxProps={{ withinPortal: false }}
              onChange={(chosen) => set({ keyUid: chosen ?? '', value: '' })}
            />
            <Select
              label={t('filter.condition')}
              allowDeselect={false}
              data={OPERATORS.map((each) => ({ value: each, label: t(`filter.operator.${each}`) }))}
              value={operator}
              comboboxProps={{ withinPortal: false }}
              onChange={(chosen) => set({ operator: chosen as Operator })}
            />
            {asksValue && key && key.values.length > 0 && (
              <Select
                label={t('selections.value')}
                data={key.values.map((each) => ({ value: String(each.value), label: each.label }))}
                value={value || null}
                comboboxProps={{ withinPortal: false }}
                onChange={(chosen) => set({ value: chosen ?? '' })}
              />
            )}
            {asksValue && key && key.values.length === 0 && (
              <TextInput
                label={t('selections.value')}
                type={key.type === 'date' ? 'date' : 'text'}
                value={value}
                onChange={(event) => set({ value: event.currentTarget.value })}
              />
            )}
            <Button type="submit" disabled={!key || (asksValue && value === '')}>
              {t('filter.apply')}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
