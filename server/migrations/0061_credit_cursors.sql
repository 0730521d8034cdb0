-- How far each provider has been asked for credits whose notice it may never have sent.

create table rail_credit_cursors (
  rail     text        not null,
  cursor   text,                                           -- the provider's own; null: from the beginning
  asked_at timestamptz,                                    -- by the wall clock: it paces, nothing falls due by it
  constraint rail_credit_cursors_pkey primary key (rail)
);
