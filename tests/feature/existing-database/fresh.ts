/**
 * What a copy of the first row of each table has to change to be a row of its own. A table with a
 * key that is missing here fails the test.
 */
const FRESH: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ['__proto__']: { id: 99 },
  actor: { actor_id: '00000000-0000-4000-8000-000000000009' },
  category: { category_id: 99, name: 'Horror' },
  film: { film_id: 99 },
  film_actor: { film_id: 2, actor_id: '00000000-0000-4000-8000-000000000003' },
  film_category: { category_id: 2 },
  inventory: { inventory_id: 99 },
  language: {},
  payment: { payment_id: 99, paid_on: '2022-02-14' },
  rental: { rental_id: 99, during: '["2030-01-01 00:00:00+00","2030-01-02 00:00:00+00")' },
  review: { review_id: '9007199254741111' },
  staff: { staff_id: 99 },
  store: { store_id: 99, manager_id: 3 },

  Customers: { CustomerID: 'NEW%,' },
  Employees: { EmployeeID: 99 },
  EmployeeTerritories: { territory: 'a,b' },
  'Order Details': { 'Product.Code': 'new/,code' },
  'Points Elsewhere': { id: 99 },
  'Price.List': { id: 99 },
  'What? 100% & more #1; "quoted" it\'s+': { id: 99 },
  a23456789_123456789_123456789_123456789_123456789_123456789_123: {
    b23456789_123456789_123456789_123456789_123456789_123456789_123: 99,
  },
  capital: { name: 'Bern', state: 'CH' },
  city: { name: 'Zürich, ZH' },
  constructor: { id: 99 },
  'ends with a space ': { ' ': 99 },
  key_alone: {},
  key_of_address: { address: '192.168.0.0/16' },
  key_of_boolean: { yes: false },
  key_of_bytes: { bytes: '\\x0102' },
  key_of_day: { day: '2030-01-01' },
  key_of_domain: { sku: 'B-2' },
  key_of_enum: { day: 'tue' },
  key_of_float: { float: 2.5 },
  key_of_list: { list: [3, 4] },
  key_of_many: { e: false },
  key_of_moment: { at: '2030-01-01T00:00:00.000Z' },
  key_of_number: { number: '99.000000001' },
  key_of_range: { range: '[7,9)' },
  key_of_span: { span: '3 years' },
  members: { id: 99 },
  order: { id: 99 },
  points_to_unique: { id: 99 },
  region: { region_id: 99 },
  shipment: { shipment_id: '5b2c1d1e-0000-4000-8000-000000000099' },
  territories: { territory_id: '?' },
  word: { id: 99, word: 'z' },
  '注文🛒': { キー: 'new' },
};

/** The members of a row that is to stand beside the first one of a table. */
export function freshOf(table: string): Readonly<Record<string, unknown>> {
  const members = Object.hasOwn(FRESH, table) ? FRESH[table] : undefined;
  if (members === undefined) throw new Error(`what makes a new row of ${table} is not known`);
  return members;
}
