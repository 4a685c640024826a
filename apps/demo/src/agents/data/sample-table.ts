const rows = [
  'month,region,orders,revenue',
  ...[
    ['2026-01', 310, 18_450, 240, 13_120],
    ['2026-02', 335, 19_800, 228, 12_410],
    ['2026-03', 402, 24_310, 275, 15_050],
    ['2026-04', 388, 23_120, 301, 16_730],
    ['2026-05', 441, 27_680, 322, 18_240],
    ['2026-06', 467, 29_940, 358, 20_510],
  ].flatMap(([month, northOrders, north, southOrders, south]) => [
    `${month},North,${northOrders},${north}`,
    `${month},South,${southOrders},${south}`,
  ]),
];

/** A sample table for people without one. */
export function sampleTable(): File {
  return new File([`${rows.join('\n')}\n`], 'sales.csv', { type: 'text/csv' });
}
