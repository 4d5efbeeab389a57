import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';

export function ActivityChart(props: {
  points: Record<string, string | number>[];
  series: { name: string; label: string; color: string }[];
}) {
  const { points, series } = props;
  return (
    <AreaChart
      h={240}
      data={points}
      dataKey="at"
      series={series}
      curveType="monotone"
      withDots={false}
      strokeWidth={2}
      fillOpacity={0.15}
      gridAxis="x"
      tickLine="none"
      yAxisProps={{ allowDecimals: false, width: 44 }}
      xAxisProps={{ minTickGap: 40 }}
      // The figures are next to it, and in the table: keyboards and screen readers skip the charts.
      areaChartProps={{ accessibilityLayer: false }}
    />
  );
}
