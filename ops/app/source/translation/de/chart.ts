/** Diagramme. */
export const chart = {
  showTable: 'Als Tabelle zeigen',
  showChart: 'Als Diagramm zeigen',
  empty: 'Noch keine Werte',
  time: 'Zeit',
  category: 'Kategorie',
};
