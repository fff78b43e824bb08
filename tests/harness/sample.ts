/** The small database of examples: authors, articles, tags, comments, pages. */
import type pg from 'pg';

const SAMPLE_SQL = `
CREATE TABLE authors (id serial PRIMARY KEY, name text NOT NULL, email text UNIQUE, bio text,
  created_at timestamptz DEFAULT now());
CREATE TABLE articles (id serial PRIMARY KEY, author_id int REFERENCES authors(id),
  title text NOT NULL, body text, status varchar(20) DEFAULT 'draft', views int DEFAULT 0,
  published_at timestamptz);
CREATE INDEX ON articles (author_id);
CREATE TABLE tags (id serial PRIMARY KEY, name text);
CREATE TABLE articles_tags (id serial PRIMARY KEY,
  articles_id int REFERENCES articles(id) ON DELETE CASCADE,
  tags_id int REFERENCES tags(id) ON DELETE CASCADE);
CREATE INDEX ON articles_tags (articles_id);
CREATE TABLE comments (id serial PRIMARY KEY,
  article_id int REFERENCES articles(id) ON DELETE CASCADE, body text,
  created_at timestamptz DEFAULT now());
CREATE INDEX ON comments (article_id);
CREATE TABLE pages (id serial PRIMARY KEY, title text);
CREATE TABLE block_hero (id serial PRIMARY KEY, headline text);
CREATE TABLE block_text (id serial PRIMARY KEY, content text);
CREATE TABLE pages_blocks (id serial PRIMARY KEY,
  pages_id int REFERENCES pages(id) ON DELETE CASCADE, item varchar(255),
  collection varchar(255));
INSERT INTO authors (name, email, bio, created_at) SELECT 'Author ' || i,
  'author' || i || '@example.com', 'Bio ' || i,
  timestamptz '2020-01-01 00:00:00+00' + (i || ' minutes')::interval FROM generate_series(1, 10) i;
INSERT INTO tags (name) SELECT 'tag-' || i FROM generate_series(1, 5) i;
INSERT INTO articles (author_id, title, body, status, views, published_at)
  SELECT 1 + i % 10, 'Article ' || i, 'Body ' || i,
    (ARRAY['draft', 'published', 'archived'])[1 + i % 3], i * 10,
    CASE WHEN i % 3 = 1 THEN timestamptz '2021-01-01 00:00:00+00' + (i || ' days')::interval END
  FROM generate_series(1, 30) i;
INSERT INTO comments (article_id, body, created_at) SELECT 1 + i % 30, 'Comment ' || i,
  timestamptz '2022-01-01 00:00:00+00' + (i || ' hours')::interval FROM generate_series(1, 60) i;
INSERT INTO articles_tags (articles_id, tags_id)
  SELECT 1 + (i - 1) / 2, 1 + i % 5 FROM generate_series(1, 60) i;
INSERT INTO pages (title) VALUES ('Home');
INSERT INTO block_hero (headline) VALUES ('Hello');
INSERT INTO block_text (content) VALUES ('Text');
INSERT INTO pages_blocks (pages_id, item, collection)
  VALUES (1, '1', 'block_hero'), (1, '1', 'block_text');
INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
    one_collection_field, one_allowed_collections, junction_field) VALUES
  ('articles', 'author_id', 'authors', 'articles', NULL, NULL, NULL),
  ('comments', 'article_id', 'articles', 'comments', NULL, NULL, NULL),
  ('articles_tags', 'articles_id', 'articles', 'tags', NULL, NULL, 'tags_id'),
  ('articles_tags', 'tags_id', 'tags', 'articles', NULL, NULL, 'articles_id'),
  ('pages_blocks', 'pages_id', 'pages', 'blocks', NULL, NULL, 'item'),
  ('pages_blocks', 'item', NULL, NULL, 'collection', 'block_hero,block_text', 'pages_id');
INSERT INTO system_fields (collection, field, special) VALUES
  ('authors', 'articles', 'o2m'), ('articles', 'comments', 'o2m'), ('articles', 'tags', 'm2m'),
  ('tags', 'articles', 'm2m'), ('pages', 'blocks', 'm2a');
`;

/** Creates the tables, their rows and their relations. */
export async function createSample(db: pg.Pool): Promise<void> {
  await db.query(SAMPLE_SQL);
}
