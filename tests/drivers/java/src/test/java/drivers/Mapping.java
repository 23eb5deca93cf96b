package drivers;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.MappedAsyncPagingIterable;
import com.datastax.oss.driver.api.core.PagingIterable;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.mapper.annotations.ClusteringColumn;
import com.datastax.oss.driver.api.mapper.annotations.Dao;
import com.datastax.oss.driver.api.mapper.annotations.DaoFactory;
import com.datastax.oss.driver.api.mapper.annotations.DaoKeyspace;
import com.datastax.oss.driver.api.mapper.annotations.Delete;
import com.datastax.oss.driver.api.mapper.annotations.Entity;
import com.datastax.oss.driver.api.mapper.annotations.Insert;
import com.datastax.oss.driver.api.mapper.annotations.Mapper;
import com.datastax.oss.driver.api.mapper.annotations.PartitionKey;
import com.datastax.oss.driver.api.mapper.annotations.PropertyStrategy;
import com.datastax.oss.driver.api.mapper.annotations.Query;
import com.datastax.oss.driver.api.mapper.annotations.Select;
import com.datastax.oss.driver.api.mapper.annotations.Update;
import com.datastax.oss.driver.api.mapper.entity.naming.GetterStyle;
import com.datastax.oss.driver.api.mapper.entity.saving.NullSavingStrategy;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** What the object mapper is told: two entities, how they are asked for, and where to begin. */
interface Mapping {
  @Entity
  @PropertyStrategy(mutable = false, getterStyle = GetterStyle.FLUENT)
  record Place(String room, Integer floor) {}

  @Entity
  @PropertyStrategy(mutable = false, getterStyle = GetterStyle.FLUENT)
  record Reading(@PartitionKey int sensor, @ClusteringColumn int at, double value, Set<String> tags, Place place) {}

  @Dao
  interface Readings {
    @Insert
    void save(Reading reading);

    @Insert
    BoundStatement saving(Reading reading);

    @Insert(ifNotExists = true)
    Reading saveNew(Reading reading);

    @Select
    Reading find(int sensor, int at);

    @Select(customWhereClause = "sensor = :sensor")
    PagingIterable<Reading> of(int sensor);

    @Select(customWhereClause = "sensor = :sensor")
    CompletionStage<MappedAsyncPagingIterable<Reading>> ofLater(int sensor);

    @Update(ifExists = true, nullSavingStrategy = NullSavingStrategy.DO_NOT_SET)
    boolean update(Reading reading);

    @Delete
    void delete(Reading reading);

    @Query("SELECT count(*) FROM ${keyspaceId}.reading WHERE sensor = :sensor AND at >= :low AND at < :high")
    long countBetween(int sensor, int low, int high);

    @Query("UPDATE ${keyspaceId}.hits SET n = n + :more WHERE name = :name")
    void hit(String name, long more);
  }

  @Mapper
  interface Start {
    @DaoFactory
    Readings readings(@DaoKeyspace CqlIdentifier keyspace);
  }
}
