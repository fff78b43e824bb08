/** Charts. */
export const chart = {
  showTable: 'Show as table',
  showChart: 'Show as chart',
  empty: 'No values yet',
  time: 'Time',
  category: 'Category',
};
