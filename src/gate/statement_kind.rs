//! What kind of statement a text is: one of the kinds of `ground::statement_kind`.

use ground::statement_kind::StatementKind;
use sql::tree::{Node, SetOperation, SyntaxTree, TransactionStmtKind, VariableSetKind, nodes};

/// The kind of one statement.
pub(super) fn of(node: Node<'_>) -> StatementKind {
    match node {
        Node::SelectStmt(select) => of_select(select),
        Node::InsertStmt(_) => StatementKind::Insert,
        Node::UpdateStmt(_) => StatementKind::Update,
        Node::DeleteStmt(_) => StatementKind::Delete,
        Node::MergeStmt(_) => StatementKind::Merge,
        Node::ExplainStmt(_) => StatementKind::Explain,
        Node::CopyStmt(_) => StatementKind::Copy,
        Node::VariableShowStmt(_) => StatementKind::Show,
        Node::VariableSetStmt(set) => of_set(set),
        Node::TransactionStmt(transaction) => of_transaction(transaction),
        Node::ConstraintsSetStmt(_) => StatementKind::SetConstraints,
        Node::PrepareStmt(_) => StatementKind::Prepare,
        Node::ExecuteStmt(_) => StatementKind::Execute,
        Node::DeallocateStmt(_) => StatementKind::Deallocate,
        Node::DeclareCursorStmt(_) => StatementKind::Declare,
        Node::FetchStmt(fetch) if fetch.ismove => StatementKind::Move,
        Node::FetchStmt(_) => StatementKind::Fetch,
        Node::ClosePortalStmt(_) => StatementKind::Close,
        Node::DiscardStmt(_) => StatementKind::Discard,
        Node::UnlistenStmt(_) => StatementKind::Unlisten,
        Node::ListenStmt(_) => StatementKind::Listen,
        Node::NotifyStmt(_) => StatementKind::Notify,
        Node::LockStmt(_) => StatementKind::Lock,
        Node::LoadStmt(_) => StatementKind::Load,
        Node::DoStmt(_) => StatementKind::Do,
        Node::CallStmt(_) => StatementKind::Call,
        Node::VacuumStmt(_)
        | Node::ClusterStmt(_)
        | Node::ReindexStmt(_)
        | Node::CheckPointStmt(_)
        | Node::AlterSystemStmt(_)
        | Node::RefreshMatViewStmt(_) => StatementKind::Maintenance,
        _ if is_ddl(node) => StatementKind::Ddl,
        _ => StatementKind::Unknown,
    }
}

/// The kind of a whole text.
pub(super) fn of_message(tree: &SyntaxTree) -> StatementKind {
    let mut statements = tree.statements();
    match (statements.next(), statements.next()) {
        (None, _) => StatementKind::Empty,
        (Some(only), None) => of(only.node),
        (Some(_), Some(_)) => StatementKind::Several,
    }
}

fn of_select(select: &nodes::SelectStmt) -> StatementKind {
    if !select.values_lists().is_empty() {
        return StatementKind::Values;
    }
    // The grammar writes TABLE t as SELECT * FROM t, with a star that stands nowhere in the text.
    let target = select.target_list().first();
    if select.op == SetOperation::SETOP_NONE && target.is_some_and(|star| star.location < 0) {
        return StatementKind::Table;
    }
    StatementKind::Select
}

fn of_set(set: &nodes::VariableSetStmt) -> StatementKind {
    match set.kind {
        VariableSetKind::VAR_RESET
        | VariableSetKind::VAR_RESET_ALL
        | VariableSetKind::VAR_SET_DEFAULT => StatementKind::Reset,
        _ => StatementKind::Set,
    }
}

fn of_transaction(transaction: &nodes::TransactionStmt) -> StatementKind {
    match transaction.kind {
        TransactionStmtKind::TRANS_STMT_BEGIN | TransactionStmtKind::TRANS_STMT_START => {
            StatementKind::Begin
        }
        TransactionStmtKind::TRANS_STMT_COMMIT => StatementKind::Commit,
        TransactionStmtKind::TRANS_STMT_ROLLBACK | TransactionStmtKind::TRANS_STMT_ROLLBACK_TO => {
            StatementKind::Rollback
        }
        TransactionStmtKind::TRANS_STMT_SAVEPOINT => StatementKind::Savepoint,
        TransactionStmtKind::TRANS_STMT_RELEASE => StatementKind::Release,
        TransactionStmtKind::TRANS_STMT_PREPARE
        | TransactionStmtKind::TRANS_STMT_COMMIT_PREPARED
        | TransactionStmtKind::TRANS_STMT_ROLLBACK_PREPARED => StatementKind::PreparedTransaction,
        _ => StatementKind::Unknown,
    }
}

/// Statements that create, change or drop objects. They are refused by name; one that is missing
/// here is refused as unknown.
fn is_ddl(node: Node<'_>) -> bool {
    is_create(node) || is_alter(node) || is_drop_or_grant(node)
}

fn is_create(node: Node<'_>) -> bool {
    matches!(
        node,
        Node::CompositeTypeStmt(_)
            | Node::CreateAmStmt(_)
            | Node::CreateCastStmt(_)
            | Node::CreateConversionStmt(_)
            | Node::CreateDomainStmt(_)
            | Node::CreateEnumStmt(_)
            | Node::CreateEventTrigStmt(_)
            | Node::CreateExtensionStmt(_)
            | Node::CreateFdwStmt(_)
            | Node::CreateForeignServerStmt(_)
            | Node::CreateFunctionStmt(_)
            | Node::CreateOpClassStmt(_)
            | Node::CreateOpFamilyStmt(_)
            | Node::CreatePLangStmt(_)
            | Node::CreatePolicyStmt(_)
            | Node::CreatePublicationStmt(_)
            | Node::CreateRangeStmt(_)
            | Node::CreateRoleStmt(_)
            | Node::CreateSchemaStmt(_)
            | Node::CreateSeqStmt(_)
            | Node::CreateStatsStmt(_)
            | Node::CreateStmt(_)
            | Node::CreateSubscriptionStmt(_)
            | Node::CreateTableAsStmt(_)
            | Node::CreateTableSpaceStmt(_)
            | Node::CreateTransformStmt(_)
            | Node::CreateTrigStmt(_)
            | Node::CreateUserMappingStmt(_)
            | Node::CreatedbStmt(_)
            | Node::DefineStmt(_)
            | Node::ImportForeignSchemaStmt(_)
            | Node::IndexStmt(_)
            | Node::RuleStmt(_)
            | Node::ViewStmt(_)
    )
}

fn is_alter(node: Node<'_>) -> bool {
    matches!(
        node,
        Node::AlterCollationStmt(_)
            | Node::AlterDatabaseRefreshCollStmt(_)
            | Node::AlterDatabaseSetStmt(_)
            | Node::AlterDatabaseStmt(_)
            | Node::AlterDefaultPrivilegesStmt(_)
            | Node::AlterDomainStmt(_)
            | Node::AlterEnumStmt(_)
            | Node::AlterEventTrigStmt(_)
            | Node::AlterExtensionContentsStmt(_)
            | Node::AlterExtensionStmt(_)
            | Node::AlterFdwStmt(_)
            | Node::AlterForeignServerStmt(_)
            | Node::AlterFunctionStmt(_)
            | Node::AlterObjectDependsStmt(_)
            | Node::AlterObjectSchemaStmt(_)
            | Node::AlterOpFamilyStmt(_)
            | Node::AlterOperatorStmt(_)
            | Node::AlterOwnerStmt(_)
            | Node::AlterPolicyStmt(_)
            | Node::AlterPublicationStmt(_)
            | Node::AlterRoleSetStmt(_)
            | Node::AlterRoleStmt(_)
            | Node::AlterSeqStmt(_)
            | Node::AlterStatsStmt(_)
            | Node::AlterSubscriptionStmt(_)
            | Node::AlterTSConfigurationStmt(_)
            | Node::AlterTSDictionaryStmt(_)
            | Node::AlterTableMoveAllStmt(_)
            | Node::AlterTableSpaceOptionsStmt(_)
            | Node::AlterTableStmt(_)
            | Node::AlterTypeStmt(_)
            | Node::AlterUserMappingStmt(_)
            | Node::CommentStmt(_)
            | Node::RenameStmt(_)
            | Node::ReplicaIdentityStmt(_)
            | Node::SecLabelStmt(_)
    )
}

fn is_drop_or_grant(node: Node<'_>) -> bool {
    matches!(
        node,
        Node::DropOwnedStmt(_)
            | Node::DropRoleStmt(_)
            | Node::DropStmt(_)
            | Node::DropSubscriptionStmt(_)
            | Node::DropTableSpaceStmt(_)
            | Node::DropUserMappingStmt(_)
            | Node::DropdbStmt(_)
            | Node::GrantRoleStmt(_)
            | Node::GrantStmt(_)
            | Node::ReassignOwnedStmt(_)
            | Node::TruncateStmt(_)
    )
}
