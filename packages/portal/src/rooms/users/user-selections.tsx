import { Badge, Button, Center, Code, Stack, Table, Text, Title } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { catalogTreeQuery, type NamedKey, nameCatalog } from '../../api/catalog-names.ts';
import { Moment } from '../../shell/moment.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { userOptionsQuery } from './queries.ts';

const isLabelled = (key: NamedKey | undefined, value: unknown) =>
  Array.isArray(value) || (key !== undefined && key.showValue(value) !== String(value));

/** What holds for the user: what they chose, and the defaults where they did not. */
export function UserSelections({ clientId, userUid }: { clientId: string; userUid: string }) {
  const { t, i18n } = useTranslation('users');
  const options = useInfiniteQuery(userOptionsQuery(clientId, userUid));
  const tree = useQuery(catalogTreeQuery(clientId));
  if (options.isPending || tree.isPending) return <LoadingState />;
  if (options.isError) return <ErrorState error={options.error} retry={() => options.refetch()} />;
  const names = tree.data && nameCatalog(tree.data, i18n);
  const items = options.data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return (
      <EmptyState icon={IconListDetails} title={t('selections.none')}>
        {t('selections.noneText')}
      </EmptyState>
    );
  }
  const groups = Map.groupBy(items, ({ groupUid }) => groupUid);
  return (
    <Stack gap="lg">
      {[...groups].map(([groupUid, ofGroup]) => {
        const named = names?.groups.find((group) => group.groupUid === groupUid);
        return (
          <section key={groupUid}>
            <Title order={2} size="h4" mb="xs">
              {named?.label ?? ofGroup[0]?.groupName}
            </Title>
            <Table verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w="35%">{t('selections.key')}</Table.Th>
                  <Table.Th>{t('selections.value')}</Table.Th>
                  <Table.Th ta="end">{t('selections.since')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {ofGroup.map((option) => {
                  const key = names?.key(option.keyUid);
                  return (
                    <Table.Tr key={option.keyUid}>
                      <Table.Td>
                        <Text size="sm">{key?.label ?? option.keyName}</Text>
                        <Text size="xs" c="dimmed" ff="monospace">
                          {option.keyName}
                        </Text>
                        {option.archived && (
                          <Badge size="xs" color="gray" variant="light">
                            {t('selections.archived')}
                          </Badge>
                        )}
                      </Table.Td>
                      <Table.Td>
                        <Text size="sm" {...(option.isDefault ? { c: 'dimmed' } : { fw: 600 })}>
                          {key?.showValue(option.value) ?? String(option.value)}
                        </Text>
                        {/* What programs see, where it is not what people see. */}
                        {isLabelled(key, option.value) && <Code>{JSON.stringify(option.value)}</Code>}
                      </Table.Td>
                      <Table.Td ta="end">
                        {option.updatedAt === null ? (
                          <Badge variant="default" tt="none" miw="max-content">
                            {t('selections.byDefault')}
                          </Badge>
                        ) : (
                          <Text size="sm">
                            <Moment at={option.updatedAt} />
                          </Text>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </section>
        );
      })}
      {options.hasNextPage && (
        <Center>
          <Button variant="default" loading={options.isFetchingNextPage} onClick={() => void options.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </Stack>
  );
}
