import {
  ActionIcon,
  Badge,
  Button,
  Code,
  Group,
  SegmentedControl,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconListDetails, IconPencil, IconReceipt, IconSearch, IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CatalogNames, catalogTreeQuery, type NamedKey, nameCatalog } from '../../api/catalog-names.ts';
import { Moment } from '../../shell/moment.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { Tip } from '../../shell/tip.tsx';
import { useInSteps } from '../../shell/use-in-steps.ts';
import { EditSelection } from './edit-selection.tsx';
import { type UserOption, userOptionsQuery } from './queries.ts';
import { SelectionReceipt } from './selection-receipt.tsx';
import { type Held, useChangeSelection } from './use-change-selection.ts';

/** More rows than anyone reads at once. */
const SHOWN = 200;

type Row = { key: NamedKey; option: UserOption | undefined };
type Shown = 'all' | 'chosen';

/** Every key of the catalog: chosen by the user, by default, or not set. */
export function UserSelections({ clientId, userUid }: { clientId: string; userUid: string }) {
  const { t, i18n } = useTranslation('users');
  const options = useInfiniteQuery(userOptionsQuery(clientId, userUid));
  const tree = useQuery(catalogTreeQuery(clientId));
  const change = useChangeSelection(clientId, userUid);
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const [most, setMax] = useState(SHOWN);
  const [edited, setEdited] = useState<Row>();
  const [receiptOf, setReceiptOf] = useState<Row>();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = options;
  // A search covers all of them.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (options.isPending || tree.isPending || (hasNextPage && !options.isError)) return <LoadingState />;
  if (options.isLoadingError || (options.isError && hasNextPage))
    return <ErrorState error={options.error} retry={() => options.refetch()} />;
  if (tree.isLoadingError) return <ErrorState error={tree.error} retry={() => tree.refetch()} />;
  const rows = rowsOf(
    nameCatalog(tree.data, i18n),
    options.data.pages.flatMap(({ items }) => items),
  );
  if (rows.length === 0) {
    return (
      <EmptyState icon={IconListDetails} title={t('selections.none')}>
        {t('selections.noneText')}
      </EmptyState>
    );
  }
  const found = rows.filter((row) => (shown === 'all' || isChosen(row)) && matches(row, search));
  return (
    <Stack gap="lg">
      <Group>
        <TextInput
          type="search"
          flex="1 1 260px"
          aria-label={t('selections.search')}
          placeholder={t('selections.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t('selections.show')}
          data={[
            { value: 'all', label: t('selections.all', { count: rows.length }) },
            { value: 'chosen', label: t('selections.chosen', { count: rows.filter(isChosen).length }) },
          ]}
          value={shown}
          onChange={(value) => setShown(value)}
        />
      </Group>
      {found.length === 0 && <Text c="dimmed">{t('selections.noMatch')}</Text>}
      <Groups
        rows={found.slice(0, most)}
        onEdit={setEdited}
        onReceipt={setReceiptOf}
        onUnset={({ key }, held) => change.unset(key, held)}
      />
      {found.length > most && (
        <Button variant="default" mx="auto" onClick={() => setMax(most + SHOWN)}>
          {t('more')}
        </Button>
      )}
      {edited && (
        <EditSelection
          of={edited.key}
          held={heldBy(rows.find(({ key }) => key.keyUid === edited.key.keyUid)?.option)}
          change={change}
          onClose={() => setEdited(undefined)}
        />
      )}
      {receiptOf?.option?.userOptionsUid && (
        <SelectionReceipt
          path={{ clientId, userUid, userOptionsUid: receiptOf.option.userOptionsUid }}
          title={receiptOf.key.label}
          onClose={() => setReceiptOf(undefined)}
        />
      )}
    </Stack>
  );
}

type GroupsProps = {
  rows: readonly Row[];
  onEdit(row: Row): void;
  onReceipt(row: Row): void;
  onUnset(row: Row, held: Held): void;
};

function Groups({ rows, onEdit, onReceipt, onUnset }: GroupsProps) {
  const { t } = useTranslation('users');
  const groups = Map.groupBy(useInSteps(rows), ({ key }) => key.groupUid);
  return [...groups].map(([groupUid, ofGroup]) => (
    <section key={groupUid}>
      <Title order={2} size="h4" mb="xs">
        {ofGroup[0]?.key.groupLabel}
      </Title>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="35%">{t('selections.key')}</Table.Th>
            <Table.Th>{t('selections.value')}</Table.Th>
            <Table.Th visibleFrom="xs" ta="end">
              {t('selections.since')}
            </Table.Th>
            <Table.Th w={120} aria-label={t('selections.edit')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ofGroup.map((row) => (
            <SelectionRow
              key={row.key.keyUid}
              row={row}
              onEdit={() => onEdit(row)}
              onReceipt={() => onReceipt(row)}
              onUnset={(held) => onUnset(row, held)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  ));
}

type RowProps = { row: Row; onEdit(): void; onReceipt(): void; onUnset(held: Held): void };

function SelectionRow({ row, onEdit, onReceipt, onUnset }: RowProps) {
  const { t } = useTranslation('users');
  const { key, option } = row;
  const held = isChosen(row) ? heldBy(option) : undefined;
  const state = option ? t('selections.byDefault') : t('selections.notSet');
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">{key.label}</Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {key.name}
        </Text>
        {key.archived && (
          <Badge size="xs" color="gray" variant="light">
            {t('selections.archived')}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        {option ? (
          <Text size="sm" {...(option.isDefault ? { c: 'dimmed' } : { fw: 600 })}>
            {key.showValue(option.value)}
          </Text>
        ) : (
          <Text size="sm" c="dimmed">
            –
          </Text>
        )}
        {/* The API value, if it differs from the label. */}
        {option && isLabelled(key, option.value) && <Code>{JSON.stringify(option.value)}</Code>}
        {!option?.updatedAt && (
          <Badge hiddenFrom="xs" variant="default" tt="none" miw="max-content">
            {state}
          </Badge>
        )}
      </Table.Td>
      <Table.Td visibleFrom="xs" ta="end">
        {option?.updatedAt ? (
          <Text size="sm">
            <Moment at={option.updatedAt} />
          </Text>
        ) : (
          <Badge variant="default" tt="none" miw="max-content">
            {state}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {held && (
            <Tip label={t('receipt.action')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('receipt.of', { key: key.label })}
                onClick={onReceipt}
              >
                <IconReceipt size={16} aria-hidden />
              </ActionIcon>
            </Tip>
          )}
          {!key.archived && (
            <Tip label={t('selections.edit')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('selections.editKey', { key: key.label })}
                onClick={onEdit}
              >
                <IconPencil size={16} aria-hidden />
              </ActionIcon>
            </Tip>
          )}
          {held && (
            <Tip label={t('selections.unset')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('selections.unsetKey', { key: key.label })}
                onClick={() => onUnset(held)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Tip>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** In catalog order; archived keys only if the user has a selection. */
function rowsOf({ groups }: CatalogNames, options: readonly UserOption[]): Row[] {
  const byKey = new Map(options.map((option) => [option.keyUid, option]));
  return groups
    .flatMap(({ keys }) => keys.map((key) => ({ key, option: byKey.get(key.keyUid) })))
    .filter(({ key, option }) => !key.archived || option !== undefined);
}

const isChosen = ({ option }: Row): boolean => option !== undefined && !option.isDefault;

function heldBy(option: UserOption | undefined): Held | undefined {
  return option && { value: option.value, etag: option.etag };
}

function matches({ key, option }: Row, search: string): boolean {
  const texts = [key.label, key.name, key.groupLabel, option ? key.showValue(option.value) : ''];
  return texts.some((text) => text.toLowerCase().includes(search.trim().toLowerCase()));
}

const isLabelled = (key: NamedKey, value: unknown): boolean =>
  Array.isArray(value) || key.showValue(value) !== String(value);
