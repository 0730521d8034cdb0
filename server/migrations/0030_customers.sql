-- Customers of an organization. Identity numbers are encrypted, bound to organization and customer; what is shown is a mask.

create table customers (
  organization_id      uuid        not null,
  id                   uuid        not null,
  first_name           text        not null,
  last_name            text        not null,
  email                text        not null,               -- as written
  email_key            text        not null,               -- lower case: what is looked up and unique
  phone                text,                               -- E.164
  date_of_birth        date,
  gender               text,
  identity_type        text,
  identity_sealed      text,
  identity_masked      text,
  identity_verified_at timestamptz,
  address              json,
  metadata             json,
  is_active            boolean     not null default true,
  search_text          text        not null,               -- lower case: names, e-mail, phone
  created_by           uuid,                               -- key or member
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  constraint customers_pkey                primary key (organization_id, id),
  constraint customers_organization        foreign key (organization_id) references organizations,
  constraint customers_email_taken         unique (organization_id, email_key),
  constraint customers_gender_known        check (gender in ('male', 'female', 'other')),
  constraint customers_identity_type_known check (identity_type in ('BVN', 'NIN', 'PASSPORT', 'DRIVERS_LICENSE', 'VOTERS_CARD')),
  constraint customers_identity_together   check (num_nonnulls(identity_type, identity_sealed, identity_masked) in (0, 3)),
  constraint customers_only_bvn_verified   check (identity_verified_at is null or identity_type = 'BVN')
);
