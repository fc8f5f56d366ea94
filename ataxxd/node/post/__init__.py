"""Cards, post and calls: how nodes find each other, challenge each other and share work.

A node that takes challenges has one `mailroom.Mailroom` over a connection whose will is
`cards.card_will`. It puts up its card (`Mailroom.card`), joins its groups
(`calls.Membership`), and opens a `reception.Reception`, which asks whether a challenge is taken
and hands over those that are; `analysing.Analysts` answer questions. When the node is full it
says so on its card, and its memberships do not listen. Who challenges uses `challenging`.
"""
