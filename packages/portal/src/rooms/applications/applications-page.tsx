import { Container, Table, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { applicationsQuery } from '../../api/queries.ts';
import { Copyable } from '../../shell/copy.tsx';
import { LinkAnchor } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';

export function ApplicationsPage() {
  const { t } = useTranslation('applications');
  const { data } = useSuspenseQuery(applicationsQuery);
  return (
    <Container size="md" px={0}>
      <PageHeader title={t('title')} />
      <Table verticalSpacing="sm">
        <Table.Tbody>
          {data.items.map(({ clientId, name }) => (
            <Table.Tr key={clientId}>
              <Table.Td>
                <LinkAnchor to="/applications/$clientId" params={{ clientId }} fw={600}>
                  {name}
                </LinkAnchor>
              </Table.Td>
              <Table.Td>
                <Text component="div" c="dimmed">
                  <Copyable value={clientId} />
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Container>
  );
}
