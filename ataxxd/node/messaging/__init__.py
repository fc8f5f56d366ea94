"""Cards, post and calls: how nodes find each other, challenge each other and share work.

A node that takes challenges has one `messenger.Messenger` over a connection whose will is
`messenger.card_will`. It puts up its card (`Messenger.card`), joins its groups
(`calls.Membership`), and opens `challenges.IncomingChallenges`, which ask whether a challenge is
taken and hand over those that are; `calls.Analysts` answer questions. When the node is full
it says so on its card, and its memberships do not listen. Our own challenges use `challenges`, too.
"""
