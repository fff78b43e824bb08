/** Rechte als Sätze. */
export const sentence = {
  title: 'Berechtigungen im Überblick',
  create_all: 'Darf %{collection} mit allen Feldern anlegen.',
  create_some: 'Darf %{collection} mit den Feldern %{fields} anlegen.',
  create_none: 'Darf %{collection} anlegen, ohne ein Feld auszufüllen.',
  read_all_all: 'Darf alle Felder aller Einträge von %{collection} lesen.',
  read_all_where:
    'Darf alle Felder der Einträge von %{collection} lesen, für die gilt: %{condition}.',
  read_some_all: 'Darf %{fields} aller Einträge von %{collection} lesen.',
  read_some_where:
    'Darf %{fields} der Einträge von %{collection} lesen, für die gilt: %{condition}.',
  read_none_all: 'Darf keine Felder aller Einträge von %{collection} lesen.',
  read_none_where:
    'Darf keine Felder der Einträge von %{collection} lesen, für die gilt: %{condition}.',
  update_all_all: 'Darf alle Felder aller Einträge von %{collection} ändern.',
  update_all_where:
    'Darf alle Felder der Einträge von %{collection} ändern, für die gilt: %{condition}.',
  update_some_all: 'Darf %{fields} aller Einträge von %{collection} ändern.',
  update_some_where:
    'Darf %{fields} der Einträge von %{collection} ändern, für die gilt: %{condition}.',
  update_none_all: 'Darf keine Felder aller Einträge von %{collection} ändern.',
  update_none_where:
    'Darf keine Felder der Einträge von %{collection} ändern, für die gilt: %{condition}.',
  delete_all: 'Darf alle Einträge von %{collection} löschen.',
  delete_where: 'Darf die Einträge von %{collection} löschen, für die gilt: %{condition}.',
  valid: 'Gespeichert wird nur, wenn gilt: %{condition}.',
  preset_create: 'Ohne Angabe beginnt %{field} so: %{value}.',
  preset_update: 'Ohne Angabe wird %{field} so: %{value}.',
  and: 'und',
  or: 'oder',
  some: 'für mindestens einen Eintrag von %{list} gilt: %{condition}',
  none: 'für keinen Eintrag von %{list} gilt: %{condition}',
  countOf: 'die Anzahl von %{list}',
  nothing: 'nichts',
  always: 'alles',
  never: 'nichts',
};
